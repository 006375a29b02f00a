// What each client reads, and how it is printed: a step's name, a tab, and what was decoded.
export interface Answer {
  status: number;
  body: unknown; // of a refusal, the envelope
}

export interface Filters {
  limit?: number;
  starting_after?: string;
  date_from?: string;
}

export interface Client {
  interviews(query: Filters): Promise<Answer>;
  interview(id: string): Promise<Answer>;
  campaigns(query: Filters): Promise<Answer>;
  synthesis(query: Filters & {surface?: 'portal'}): Promise<Answer>;
  analytics(query: {date_from: string; date_to: string}): Promise<Answer>;
  search(query: {q: string}): Promise<Answer>;
}

interface Page {
  data: {id: string}[];
  meta: {has_more: boolean; next_cursor: string | null};
}

const env = (name: string): string => process.env[name] ?? '';

function say(name: string, {status, body}: Answer): Page {
  if (status !== 200) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
  console.log(`${name}\t${JSON.stringify(body)}`);
  return body as Page;
}

async function walk(name: string, read: (query: Filters) => Promise<Answer>): Promise<void> {
  for (let after: string | undefined; ;) {
    const {meta} = say(name, await read(after ? {limit: 2, starting_after: after} : {limit: 2}));
    if (!meta.has_more) return;
    after = meta.next_cursor ?? undefined;
  }
}

async function refused(call: Promise<Answer>): Promise<void> {
  const {status, body} = await call;
  console.log(`error ${status}\t${JSON.stringify((body as {code: string}).code)}`);
}

export async function tour(using: (base: string, key: string) => Client): Promise<void> {
  for (const mode of ['canonical', 'legacy']) {
    const client = using(env('BASE'), env(mode.toUpperCase()));
    await walk(`${mode} interviews`, client.interviews);
    const first = (await client.interviews({limit: 1})).body as Page;
    say(`${mode} interview`, await client.interview(first.data[0]!.id));
    await walk(`${mode} campaigns`, client.campaigns);
    await walk(`${mode} synthesis`, client.synthesis);
    await walk(`${mode} portal`, (query) => client.synthesis({...query, surface: 'portal'}));
    say(`${mode} analytics`, await client.analytics({date_from: '2026-03-01', date_to: '2026-03-31'}));
    say(`${mode} search`, await client.search({q: 'late'}));
  }
  const canonical = using(env('BASE'), env('CANONICAL')), stub = using(env('STUB'), 'cik_any');
  await refused(canonical.interviews({date_from: 'yesterday'}));
  await refused(using(env('BASE'), 'cik_wrong').interviews({}));
  await refused(using(env('BASE'), env('NARROW')).interviews({}));
  await refused(canonical.interview('00000000-0000-4000-8000-000000000000'));
  await refused(using(env('LIMITED'), env('SPENT')).interviews({}));
  await refused(stub.interviews({}));
  await refused(stub.campaigns({}));
}
