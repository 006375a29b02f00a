// Walks every list in pages of a few rows and returns the rows. It runs on Node,
// Bun and Deno (run.mjs) and as a worker (worker.mjs).
import assert from 'node:assert/strict';
import {BudgetSpentError, Client, InvalidCursorError, NotFoundError, OutOfReachError, UnavailableError, ApiError} from 'clientintel';

async function refusal(call, status, code, kind = ApiError) {
  try {
    await call();
  } catch (error) {
    assert.ok(error instanceof kind, String(error));
    assert.deepEqual([error.status, error.code], [status, code]);
    assert.ok(error.requestId);
    return error;
  }
  assert.fail(`${code}: not refused`);
}

export async function conform(env) {
  const {URL: url, KEY: key} = env;
  const client = new Client({url, key});
  const rows = {};
  for (const name of ['interviews', 'campaigns', 'synthesis', 'portal']) rows[name] = await client[name]({limit: 7}).toArray();

  // Stopped after some rows and gone on with the cursor: nothing is missed.
  const walk = client.interviews({limit: 7}), first = [];
  for await (const row of walk) if (first.push(row.id) === 10) break;
  const resumed = await client.interviews({limit: 7, starting_after: walk.cursor}).toArray();
  assert.deepEqual([...first.slice(0, 7), ...resumed.map((row) => row.id)], rows.interviews.map((row) => row.id));

  const one = await client.interview(first[0]);
  assert.equal(one.data.interview.id, first[0]);
  const series = (await client.analytics({date_from: '2026-01-01'})).data;
  assert.equal(series.total, series.rows.length);

  await refusal(() => client.interviews({date_from: 'yesterday'}).toArray(), 400, 'invalid_parameter');
  await refusal(() => client.interviews({starting_after: 'x'}).toArray(), 400, 'invalid_cursor', InvalidCursorError);
  await refusal(() => new Client({url, key: 'cik_wrong'}).campaigns().toArray(), 401, 'invalid_api_key');
  await refusal(() => new Client({url, key: env.NARROW}).interviews().toArray(), 403, 'insufficient_scope');
  await refusal(() => client.interview('00000000-0000-4000-8000-000000000000'), 404, 'not_found', NotFoundError);
  const stub = new Client({url: env.STUB, key, tries: 1});
  await refusal(() => stub.interview('500'), 500, 'internal_error');
  assert.equal((await refusal(() => stub.interview('503'), 503, 'measurement_unavailable', UnavailableError)).retryAfter, 3601);
  await refusal(() => stub.interview('proxy'), 200, 'unknown');

  // A default call is sent twice; a signal ends it, its wait too.
  const told = [];
  const busy = new Client({url: env.STUB, key, onWait: (seconds) => told.push(seconds)});
  await refusal(() => busy.interview('busy'), 503, 'unknown', UnavailableError);
  assert.deepEqual(told, [1]);
  const enough = new AbortController();
  await assert.rejects(() => new Client({url: env.STUB, key, onWait: () => enough.abort(new Error('enough'))}).interview('busy', {signal: enough.signal}), /enough/);
  await assert.rejects(() => new Client({url: 'http://127.0.0.1:1', key, tries: 1}).campaigns().toArray(), OutOfReachError);

  // The address serves with the API's path too; what is missing is named.
  assert.equal((await new Client({url: url + '/api/client/v1/', key}).campaigns().toArray()).length, rows.campaigns.length);
  assert.throws(() => new Client({url, key: ' '}), /CLIENTINTEL_KEY/);
  assert.throws(() => new Client({url: 'intelligence.example.com', key}), /CLIENTINTEL_URL/);

  const impatient = new Client({url: env.STUB, key, onWait: assert.fail, fetch: function (...given) {
    assert.equal(this, undefined); // workers refuse a fetch that is called as a method
    return fetch(...given);
  }});
  await refusal(() => impatient.interview('redirect'), 302, 'unknown');

  // An hour that is used up is over when the clock says so.
  const spent = new Client({url: env.STUB, key, maxWait: 0, leave: 1}), clock = performance.now;
  const pass = (seconds) => Object.defineProperty(performance, 'now', {configurable: true, value: () => clock.call(performance) + seconds * 1000});
  await spent.interview('spent');
  await assert.rejects(() => spent.interview('spent'), BudgetSpentError);
  pass(1800);
  await assert.rejects(() => spent.interview('spent'), BudgetSpentError);
  pass(3601);
  await spent.interview('spent');
  pass(0);

  // One whose hour is used up by another waits as long as it is told, or fails at once.
  const hasty = new Client({url, key, leave: -1, maxWait: 0});
  let refused;
  for (let i = 0; i < 400 && !refused; i++) {
    try {
      await hasty.search('x', {limit: 1});
    } catch (error) {
      assert.equal(error.code, 'rate_limited');
      refused = error;
    }
  }
  assert.ok(refused.retryAfter >= 1);
  await new Client({url, key, leave: -1}).search('x', {limit: 1});
  const waits = [];
  const careful = new Client({url, key, leave: 29, onWait: (_, reason) => waits.push(reason)});
  await careful.search('x', {limit: 1});
  await careful.search('x', {limit: 1});
  assert.equal(waits.at(-1), 'few requests are left in this hour');
  return rows;
}
