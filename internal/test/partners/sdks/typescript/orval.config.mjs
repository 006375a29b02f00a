const input = process.env.CONTRACT;
const send = {path: './send.mts', name: 'send'};

export default {
  fetch: {input, output: {target: 'made/orval-fetch.ts', client: 'fetch', override: {mutator: send}, tsconfig: './tsconfig.json'}},
  zod: {input, output: {target: 'made/orval-zod.ts', client: 'zod', tsconfig: './tsconfig.json'}},
};
