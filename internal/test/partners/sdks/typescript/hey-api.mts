import {createClient} from './made/hey-api/client/index.ts';
import {listInterviews, listSynthesis} from './made/hey-api/sdk.gen.ts';
import type {PublishedSynthesisBody} from './made/hey-api/types.gen.ts';

const env = (name: string): string => process.env[name] ?? '';
const using = (base: string, key: string) => createClient({baseUrl: base, auth: key});
const full = using(env('BASE'), env('KEY'));

const interviews: string[] = [];
for (let after: string | undefined; ;) {
  const {data} = await listInterviews({client: full, query: {limit: 2, starting_after: after}});
  if (!data) throw new Error('no page');
  interviews.push(...data.data.map((one) => one.id));
  if (!data.meta.has_more) break;
  after = data.meta.next_cursor ?? undefined;
}

const {data: collection} = await listSynthesis({client: full});
const row = collection?.data[0];
if (!row || !('contract_version' in row)) throw new Error('no row');

const {data: portal} = await listSynthesis({client: full, query: {surface: 'portal'}});
const body = portal?.data[0];
if (!body || 'synthesis_type' in body && 'document' in body) throw new Error('no body');
const published: PublishedSynthesisBody = body;

async function refused(base: string, key: string, limit?: number): Promise<[string, Response]> {
  const {error, response} = await listInterviews({client: using(base, key), query: {limit}});
  if (!response) throw new Error('no answer');
  return [`${response.status} ${error?.code}`, response];
}
const [limited, response] = await refused(env('LIMITED'), env('SPENT'));
console.log(JSON.stringify({
  interviews,
  row: row.contract_version,
  portal: published['schema'],
  integrity: published.measurement_integrity?.status,
  unauthorized: (await refused(env('BASE'), 'cik_wrong'))[0],
  forbidden: (await refused(env('BASE'), env('NARROW')))[0],
  invalid: (await refused(env('BASE'), env('KEY'), 0))[0],
  limited,
  mayRetry: Number(response.headers.get('Retry-After')) > 0,
}));
