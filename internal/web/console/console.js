// The developer page: a client's keys, their use and their audit trail, by the
// administration API alone.
import {copyButton, el, format, secret, send, tab, themeButton} from './assets/base.js';
import {ChartCard, colour} from './assets/charts.js';

const $ = (id) => document.getElementById(id);
const api = document.querySelector('meta[name=api]').content;
const limit = 600, near = 0.8 * limit, refreshEvery = 10000;

const scopes = {
  'read:campaigns': ['Campaigns', 'Names, goals and questions of campaigns.'],
  'read:interviews_metadata': ['Interviews', 'Scores, sentiment and best quotes, and the analytics made of them.'],
  'read:synthesis': ['Synthesis', 'Published syntheses of what customers said.'],
  'read:transcripts': ['Transcripts', 'Every word that participants said.'],
  'read:customer_identity': ['Identity', 'Participants’ e-mail addresses, and the daily feed.'],
  'read:raw_extraction': ['Raw extraction', 'Everything that was extracted from an interview.'],
  'read:custom_extraction': ['Extraction and search', 'Pain points, requests and feedback of each participant, and the search.'],
  'export:data': ['Bulk export', 'Bulk export flows. No route of the API needs it.'],
};
const defaults = Object.keys(scopes).slice(0, 3);

let token = '', client = null, keys = [], trail = [], trailCursor = null, loading = 0;

// Requests.

class Refused extends Error {
  constructor({status, body}) {
    super(body?.details ? `${body.error}: ${body.details}` : body?.error || `The server answered ${status}.`);
    Object.assign(this, {status, code: body?.code, details: body?.details});
  }
}

async function call(path, options) {
  const used = token;
  let response;
  try {
    response = await send('api/admin/v1/' + path, used, options);
  } catch {
    throw new Error('The console does not answer. Check the connection and try again.');
  }
  if (response.status === 401 && used === token) signOut(response.body?.code === 'expired_token' ? 'expired' : 'refused');
  if (response.status >= 400) throw new Refused(response);
  return response.body;
}

const post = (path, body, once) => call(path, {
  method: 'POST', body: JSON.stringify(body), headers: {'Content-Type': 'application/json', ...(once && {'Idempotency-Key': once})},
});

// All pages of a list.
async function all(path) {
  const rows = [];
  let meta, after = '';
  do {
    const page = await call(`${path}limit=200${after && '&starting_after=' + after}`);
    rows.push(...page.data);
    meta = page.meta;
    after = meta.next_cursor;
  } while (after);
  return {rows, meta};
}

const ofClient = (path) => `clients/${encodeURIComponent(client)}/${path}`;
const unique = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

// Words.

const when = new Intl.DateTimeFormat('en', {dateStyle: 'medium', timeStyle: 'short'}), day = new Intl.DateTimeFormat('en', {dateStyle: 'medium'});
const moment = (text, none) => (text ? el('time', {datetime: text, title: when.format(new Date(text))}, day.format(new Date(text))) : none);
const clock = (text, none) => (text ? el('time', {datetime: text}, when.format(new Date(text))) : none);
const count = (n, one, many = one + 's') => `${format(n)} ${n === 1 ? one : many}`;
const scopeName = (scope) => scopes[scope]?.[0] ?? scope;
const routes = {
  listInterviews: 'Interviews', getInterview: 'One interview', listCampaigns: 'Campaigns', listSynthesis: 'Synthesis',
  getInterviewAnalytics: 'Analytics', searchIntelligence: 'Search', mcp: 'Agents (MCP)',
};

function message(text, kind = 'bad') {
  $('message').replaceChildren(...(text ? [el('p', {class: 'message ' + kind}, text)] : []));
}

// A failure that is no refusal of the token, which has a message already.
const complain = (error) => { if (error.status !== 401) message(error.message); };

// Signing in.

function claims() {
  try {
    const [, payload] = token.split('.');
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))));
  } catch { return {}; }
}

function signOut(why) {
  token = '';
  tab('token', '');
  $('dialog').close();
  $('view').hidden = $('loading').hidden = $('sign-out').hidden = $('client-label').hidden = true;
  const text = {
    expired: 'Your session has ended. Open this page from your portal again.',
    refused: 'Your sign-in was not accepted. Open this page from your portal again.',
    none: 'Open this page from your portal: it signs you in.',
    left: 'You are signed out. This tab has forgotten the sign-in.',
  }[why];
  $('message').replaceChildren(el('h1', {}, 'API keys'), el('p', {class: 'message ' + (why === 'left' || why === 'none' ? '' : 'warm')}, text));
}

async function start() {
  token = secret('token');
  message('');
  if (!token) return signOut('none');
  $('loading').hidden = $('sign-out').hidden = false;
  try {
    client = claims().client_id;
    if (!client) {
      const {rows} = await all('clients?');
      rows.sort((a, b) => a.name.localeCompare(b.name));
      $('client').replaceChildren(...rows.map((one) => el('option', {value: one.id}, `${one.name} (${one.slug})`)));
      client = rows.some((one) => one.id === tab('client')) ? tab('client') : rows[0]?.id;
      $('client-label').hidden = false;
      $('client').value = client ?? '';
      if (!client) message('There is no client yet. Import one first.', '');
    }
    if (client) await show();
  } catch (error) { complain(error); }
  $('loading').hidden = true;
}

async function show() {
  trail = [];
  $('view').hidden = true;
  $('loading').hidden = false;
  await Promise.all([showKeys(), showUsage(), showTrail()]);
  $('view').hidden = false;
  $('loading').hidden = true;
  drawUsage(); // a chart has no size while it is hidden
}

// Keys.

async function showKeys() {
  const asked = ++loading, of = client, state = $('state').value;
  const {rows, meta} = await all(ofClient('keys?') + (state && `state=${state}&`));
  if (asked !== loading || of !== client) return;
  keys = rows;
  $('name').textContent = meta.client.name;
  document.title = `API keys of ${meta.client.name} · Client Intelligence`;
  $('issue').allowed = meta.client.allowed_scopes ?? Object.keys(scopes);
  const {keys_in_force: inForce, max_keys_in_force: most} = meta.client;
  $('keys-note').textContent = `${count(inForce, 'key')} in force, of at most ${format(most)}. ${inForce >= 0.9 * most ? 'Revoke those that are not used. ' : ''}Each key may make ${limit} requests an hour. This table is up to date within ten seconds.`;
  drawKeys();
  const chosen = $('usage-key').value;
  $('usage-key').replaceChildren(el('option', {value: ''}, 'all keys'), ...keys.map((key) => el('option', {value: key.id}, `${key.name} (${key.prefix})`)));
  $('usage-key').value = keys.some((key) => key.id === chosen) ? chosen : '';
}

function drawKeys() {
  const text = $('find').value.trim().toLowerCase();
  const found = keys.filter((key) => !text || [key.name, key.prefix, key.created_by].some((value) => value?.toLowerCase().includes(text)));
  const focused = document.activeElement?.dataset?.focus;
  if (!found.length) {
    $('keys-table').replaceChildren(el('p', {class: 'faint'}, keys.length ? 'No key matches.' : $('state').value === 'ended' ? 'No key has ended.' : 'No key yet. Issue one for each person or program that reads the API.'));
    return;
  }
  const cell = (label, ...content) => el('td', {'data-label': label}, el('div', {}, ...content));
  const action = (key, verb, open, kind) => el('button', {
    type: 'button', class: kind, 'data-focus': verb + key.id, 'aria-label': `${verb} ${key.name}`, click: () => open(key),
  }, verb);
  $('keys-table').replaceChildren(el('table', {},
    el('caption', {class: 'hidden'}, 'Keys'),
    el('thead', {}, el('tr', {}, ['Name', 'Scopes', 'Created', 'Last used', 'Expires', 'Last hour', '30 days', 'Actions'].map((name) => el('th', {scope: 'col'}, name)))),
    el('tbody', {}, found.map((key) => el('tr', {'data-key': key.prefix},
      cell('Name', el('strong', {}, key.name), el('code', {}, key.prefix), ' ', stateChip(key)),
      cell('Scopes', key.scopes.map((scope) => el('span', {class: 'chip' + (defaults.includes(scope) ? '' : ' warm'), title: scope}, scopeName(scope)))),
      cell('Created', moment(key.created_at), key.created_by && el('div', {class: 'faint text'}, 'by ' + key.created_by)),
      cell('Last used', clock(key.last_used_at, 'never')),
      cell('Expires', moment(key.expires_at, 'never')),
      cell('Last hour', `${format(key.requests_last_hour)} of ${limit}`,
        el('meter', {min: 0, max: limit, high: near, value: Math.min(key.requests_last_hour, limit), 'aria-label': `Requests of the last hour of ${key.name}`}),
        key.requests_last_hour >= limit ? el('span', {class: 'chip bad'}, 'at the limit') : key.requests_last_hour >= near && el('span', {class: 'chip warm'}, 'near the limit')),
      cell('30 days', format(key.requests_30_days), key.limited_30_days > 0 && el('div', {}, el('span', {class: 'chip bad'}, `${format(key.limited_30_days)} refused (429)`))),
      el('td', {class: 'actions'}, key.state === 'active' && action(key, 'Rotate', rotate, 'small'), ['active', 'ending'].includes(key.state) && action(key, 'Revoke', (one) => revoke(one).catch(complain), 'small danger')))))));
  if (focused) $('keys-table').querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
}

function stateChip(key) {
  if (key.state === 'active') return null;
  const kind = {ending: 'warm', expired: 'bad', revoked: 'bad'}[key.state];
  return el('span', {class: 'chip ' + kind}, key.state === 'ending' ? ['ends ', clock(key.revoked_at)] : key.state === 'revoked' ? ['revoked ', moment(key.revoked_at)] : 'expired');
}

// Usage.

const cards = {status: new ChartCard($('by-status'), 'Requests by status'), route: new ChartCard($('by-route'), 'Requests by route')};
let usage = null;

async function showUsage() {
  const of = client, days = Number($('days').value), key = $('usage-key').value;
  const window = days === 1 ? 'by=hour' : 'from=' + new Date(Date.now() - (days - 1) * 864e5).toISOString().slice(0, 10);
  const answer = await call(ofClient('usage?') + window + (key && '&key=' + key));
  if (of !== client || key !== $('usage-key').value || days !== Number($('days').value)) return;
  usage = answer;
  if (!$('view').hidden) drawUsage();
}

const palette = ['--accent', '--promoter', '--passive', '--detractor', '--warm', '--unknown', '--bad', '--good'];
const statusColour = {200: '--promoter', 304: '--good', 429: '--warm', 401: '--detractor', 403: '--passive', 499: '--unknown', 500: '--bad', 503: '--bad'};
const statusName = {200: '200 answered', 400: '400 wrong request', 401: '401 refused key', 403: '403 missing scope', 404: '404 not found', 429: '429 over the limit', 499: '499 caller left', 503: '503 try later'};

function drawUsage() {
  const {data, meta} = usage, step = meta.by === 'hour' ? 36e5 : 864e5;
  const buckets = [];
  for (let at = Date.parse(meta.from); at < Date.parse(meta.until); at += step) buckets.push(new Date(at).toISOString());
  const labels = buckets.map((at) => (meta.by === 'hour' ? at.slice(0, 13).replace('T', ' ') + ':00' : at.slice(0, 10)));
  const place = new Map(buckets.map((at, i) => [Date.parse(at), i]));
  const limited = data.filter((row) => row.status === 429).reduce((sum, row) => sum + row.requests, 0);
  $('usage-note').replaceChildren(`${count(meta.requests, 'request')} in this window, in UTC.`,
    ...(limited ? [' ', el('span', {class: 'chip bad'}, `${format(limited)} were over the limit (429)`)] : []));
  for (const [by, card] of Object.entries(cards)) {
    const series = new Map();
    for (const row of data) {
      if (!series.has(row[by])) series.set(row[by], buckets.map(() => 0));
      series.get(row[by])[place.get(Date.parse(row.at))] += row.requests;
    }
    const names = [...series.keys()].sort(), title = (name) => (by === 'status' ? statusName[name] : routes[name]) ?? String(name || 'other');
    card.draw({
      head: [meta.by === 'hour' ? 'Hour' : 'Day', ...names.map(title)],
      rows: labels.map((label, i) => [label, ...names.map((name) => series.get(name)[i])]),
      note: names.length ? '' : 'No requests in this window.',
      summary: names.map((name) => `${title(name)}: ${format(series.get(name).reduce((a, b) => a + b, 0))}`).join(', ') + '.',
      source: `${$('name').textContent}, ${labels[0]} to ${labels.at(-1)}, UTC`,
      file: `requests-by-${by}`,
      config: () => ({
        type: 'bar',
        data: {labels, datasets: names.map((name, i) => ({
          label: title(name), data: series.get(name), barPercentage: 1, categoryPercentage: 0.86, stack: 'all',
          backgroundColor: colour(by === 'status' ? statusColour[name] ?? '--bad' : palette[i % palette.length]),
        }))},
        options: {interaction: {mode: 'index', intersect: false},
          scales: {x: {stacked: true, grid: {display: false}, ticks: {maxTicksLimit: 7, maxRotation: 0}}, y: {stacked: true, beginAtZero: true, suggestedMax: 4, ticks: {precision: 0, maxTicksLimit: 6}}}},
      }),
    });
  }
}

// The audit trail.

async function showTrail(older) {
  const of = client;
  const {data, meta} = await call(ofClient('audit?limit=50') + (older ? '&starting_after=' + trailCursor : ''));
  if (of !== client) return;
  trail = older ? [...trail, ...data] : data;
  trailCursor = meta.next_cursor;
  $('audit-more').hidden = !meta.has_more;
  const cell = (label, ...content) => el('td', {'data-label': label, class: 'text'}, el('div', {}, ...content));
  $('audit-table').replaceChildren(!trail.length ? el('p', {class: 'faint'}, 'Nothing was done yet.') : el('table', {},
    el('caption', {class: 'hidden'}, 'Audit trail'),
    el('thead', {}, el('tr', {}, ['When', 'Action', 'Key', 'Who', 'From', 'Reason', 'Detail'].map((name) => el('th', {scope: 'col'}, name)))),
    el('tbody', {}, trail.map((entry) => el('tr', {},
      cell('When', clock(entry.at)), cell('Action', entry.action), cell('Key', el('code', {}, entry.prefix ?? entry.key_id)), cell('Who', entry.actor),
      cell('From', entry.address ?? '–'), cell('Reason', entry.reason ?? '–'), cell('Detail', entry.detail))))));
}

// Dialogs. Each is made anew.

function open(title, ...content) {
  const dialog = $('dialog');
  dialog.replaceChildren(el('h2', {id: 'dialog-title'}, title), ...content);
  if (!dialog.open) dialog.showModal();
  return dialog;
}

const cancel = () => el('button', {type: 'button', click: () => $('dialog').close()}, 'Cancel');

// A form that does something and says why it could not.
function form(submit, danger, act, ...fields) {
  const failed = el('div', {role: 'alert'});
  const button = el('button', {type: 'submit', class: danger && 'danger'}, submit);
  return el('form', {submit: async (event) => {
    event.preventDefault();
    button.disabled = true;
    failed.replaceChildren();
    try {
      await act();
    } catch (error) {
      const text = error.code === 'already_done' ? `This was done before, and made the key ${error.details}. Its text cannot be shown again: rotate that key.` : error.message;
      failed.replaceChildren(el('p', {class: 'message bad'}, text));
    }
    button.disabled = false;
  }}, ...fields, failed, el('div', {class: 'dialog-buttons'}, cancel(), button));
}

function scopeFields(chosen, allowed) {
  const boxes = Object.keys(scopes).filter((scope) => allowed.includes(scope)).map((scope) => {
    const box = el('input', {type: 'checkbox', value: scope, checked: chosen.includes(scope)});
    return {scope, box, row: el('label', {class: 'scope'}, box, scopeName(scope), el('small', {}, scopes[scope][1]))};
  });
  const set = (elevated) => boxes.filter(({scope}) => defaults.includes(scope) !== elevated).map(({row}) => row);
  const group = (title, rows, kind) => rows.length > 0 && el('fieldset', {class: kind}, el('legend', {}, title), rows);
  return {
    fields: [group('May read', set(false)), group('May also read personal or raw data', set(true), 'elevated')].filter(Boolean),
    chosen: () => {
      const found = boxes.filter(({box}) => box.checked).map(({scope}) => scope);
      if (!found.length) throw new Error('Choose at least one scope.');
      return found;
    },
  };
}

function issue() {
  const once = unique();
  const name = el('input', {required: true, maxlength: 200, placeholder: 'Power BI of the marketing team', autocomplete: 'off'});
  const expiry = el('select', {}, [['', 'never'], ['30', 'in 30 days'], ['90', 'in 90 days'], ['365', 'in a year']].map(([value, text]) => el('option', {value, selected: value === '365'}, text)));
  const choice = scopeFields(defaults, $('issue').allowed);
  open('Issue a key', form('Issue', false, async () => {
    const body = {name: name.value, scopes: choice.chosen()};
    if (expiry.value) body.expires_at = new Date(Date.now() + expiry.value * 864e5).toISOString();
    reveal(await post(ofClient('keys'), body, once));
  }, el('label', {class: 'column'}, 'Who or what is it for?', name), ...choice.fields, el('label', {}, 'Expires', expiry)));
}

function rotate(key) {
  const once = unique();
  const grace = el('select', {}, [['0s', 'at once'], ['1h', 'in an hour'], ['24h', 'in a day'], ['7d', 'in a week']].map(([value, text]) => el('option', {value, selected: value === '24h'}, text)));
  open(`Rotate ${key.name}`, form('Rotate', false, async () => {
    reveal(await post(ofClient(`keys/${key.id}/rotate`), {grace: grace.value}, once));
  }, el('p', {}, 'A new key of the same name, scopes and expiry takes the place of ', el('code', {}, key.prefix), '.'), el('label', {}, 'The old key ends', grace)));
}

async function revoke({id}) {
  const {data: key} = await call(ofClient('keys/' + id)); // its last use as it is now
  const reason = el('input', {maxlength: 500, autocomplete: 'off', placeholder: 'The holder has left'});
  open(`Revoke ${key.name}?`, form('Revoke', true, async () => {
    await post(ofClient(`keys/${key.id}/revoke`), reason.value.trim() ? {reason: reason.value.trim()} : {});
    $('dialog').close();
    await refresh();
  }, el('p', {}, el('code', {}, key.prefix), ' was last used: ', clock(key.last_used_at, 'never'), `. It made ${count(key.requests_last_hour, 'request')} in the last hour. Whoever holds it is refused at once, and it cannot be brought back.`),
  el('label', {class: 'column'}, 'Reason, for the audit trail', reason)));
}

// Shows a new key, which nothing shows again.
function reveal({data}) {
  const path = [['read:interviews_metadata', 'interviews?limit=2'], ['read:campaigns', 'campaigns?limit=2'], ['read:synthesis', 'synthesis?limit=1'], ['read:custom_extraction', 'intelligence/search?q=delivery']]
    .find(([scope]) => data.scopes.includes(scope))?.[1] ?? 'campaigns';
  const line = `curl -s -H 'Authorization: Bearer ${data.key}' '${api}/api/client/v1/${path}'`;
  const copy = (text) => { const button = el('button', {type: 'button'}, 'Copy'); copyButton(button, () => text); return button; };
  open(`The key ${data.name}`,
    el('p', {class: 'message warm'}, 'Copy it now. It is shown this once and stored nowhere.'),
    el('div', {class: 'fields'}, el('code', {class: 'secret', id: 'secret', tabindex: 0}, data.key), copy(data.key)),
    el('p', {class: 'note'}, 'Try it:'), el('pre', {id: 'curl', tabindex: 0}, line), el('div', {class: 'dialog-buttons'}, copy(line),
      el('button', {type: 'button', class: 'primary', click: () => $('dialog').close()}, 'I have copied it')));
  refresh();
}

$('dialog').addEventListener('close', () => $('dialog').replaceChildren());

// What changes by itself is read again; the reader's place and focus stay.
async function refresh() {
  try {
    await Promise.all([showKeys(), showUsage(), showTrail()]);
    message('');
  } catch (error) { complain(error); }
}

const guard = (act) => async () => { try { await act(); } catch (error) { complain(error); } };

setInterval(() => {
  if (token && !$('view').hidden && document.visibilityState === 'visible' && !$('dialog').open) guard(() => Promise.all([showKeys(), showUsage()]))();
}, refreshEvery);
$('issue').addEventListener('click', issue);
$('state').addEventListener('change', guard(showKeys));
$('find').addEventListener('input', drawKeys);
for (const id of ['days', 'usage-key']) $(id).addEventListener('change', guard(showUsage));
$('audit-more').addEventListener('click', guard(() => showTrail(true)));
$('client').addEventListener('change', guard(() => { client = $('client').value; tab('client', client); return show(); }));
$('sign-out').addEventListener('click', () => signOut('left'));
addEventListener('hashchange', () => { if (location.hash.includes('token=')) start(); });
themeButton($('theme'));
start();
