// Runs worker.mjs in workerd, the runtime of Cloudflare's workers, and prints its answer.
import {readFile} from 'node:fs/promises';
import {Miniflare} from 'miniflare';

const folder = process.argv[2];
const module = async (path, file) => ({type: 'ESModule', path: `${folder}/${path}`, contents: await readFile(`${folder}/${file ?? path}`, 'utf8')});
const {URL, KEY, NARROW, STUB} = process.env;
const worker = new Miniflare({
  modulesRoot: folder,
  modules: [await module('worker.mjs'), await module('conformance.mjs'), await module('clientintel', 'node_modules/clientintel/index.js')],
  compatibilityDate: '2026-06-01', compatibilityFlags: ['nodejs_compat'], bindings: {URL, KEY, NARROW, STUB},
});
try {
  const answer = await worker.dispatchFetch('http://worker.example/');
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  console.log(await answer.text());
} finally {
  await worker.dispose();
}
