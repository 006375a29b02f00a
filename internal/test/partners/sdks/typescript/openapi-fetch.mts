import createClient from 'openapi-fetch';
import type {components, paths} from './made/openapi-typescript.ts';

const env = (name: string): string => process.env[name] ?? '';
const using = (base: string, key: string) => createClient<paths>({baseUrl: base, headers: {Authorization: `Bearer ${key}`}});
const full = using(env('BASE'), env('KEY'));

const interviews: string[] = [];
for (let after: string | undefined; ;) {
  const {data} = await full.GET('/api/client/v1/interviews', {params: {query: {limit: 2, starting_after: after}}});
  if (!data) throw new Error('no page');
  interviews.push(...data.data.map((one) => one.id));
  if (!data.meta.has_more) break;
  after = data.meta.next_cursor ?? undefined;
}

const {data: collection} = await full.GET('/api/client/v1/synthesis');
const row = collection?.data[0];
if (!row || !('contract_version' in row)) throw new Error('no row');

const {data: portal} = await full.GET('/api/client/v1/synthesis', {params: {query: {surface: 'portal'}}});
const body = portal?.data[0];
if (!body || 'synthesis_type' in body && 'document' in body) throw new Error('no body');
const published: components['schemas']['PublishedSynthesisBody'] = body;

async function refused(base: string, key: string, limit?: number): Promise<[string, Response]> {
  const {error, response} = await using(base, key).GET('/api/client/v1/interviews', {params: {query: {limit}}});
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
