// The explorer: one analytics call a window, drawn; the interviews below it.
import {copyButton, el, format, secret, tab, themeButton} from './assets/base.js';
import {ChartCard, colour} from './assets/charts.js';
import {Api} from './api.js';
import {Interviews} from './interviews.js';
import {byCampaign, monday, moods, nps, plusDays, scored, series, share} from './series.js';

const $ = (id) => document.getElementById(id);
const base = new URL('api/client/v1', location.href).href;
const windows = {7: 'Last 7 days', 30: 'Last 30 days', 90: 'Last 90 days', 365: 'Last 365 days', all: 'All time', own: 'From … to'};
const few = 10; // scores in a week, below which its point is drawn hollow
const shownCampaigns = 12;

let api, interviews, loading, analytics;

/** What the address says is shown: {days, from, to, campaign, status, interview}. */
function view() {
  const query = new URLSearchParams(location.search);
  const given = (name) => query.get(name) || '';
  const own = given('from') || given('to');
  const days = own ? 'own' : Object.hasOwn(windows, given('days')) && given('days') !== 'own' ? given('days') : '90';
  const today = new Date().toISOString().slice(0, 10);
  return {
    days, campaign: given('campaign'), status: given('status'), interview: given('interview'),
    from: own ? given('from') : days === 'all' ? '0001-01-01' : plusDays(today, 1 - days),
    to: own ? given('to') : today,
  };
}

/** Changes the address; an empty value takes its name out. */
function go(changes, replace) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  history[replace ? 'replaceState' : 'pushState'](null, '', location.pathname + (query.size ? '?' + query : ''));
  show();
}

function message(error) {
  $('message').replaceChildren(...(error ? [el('div', {class: 'message bad'}, el('p', {}, error.message),
    error.id && el('p', {class: 'faint'}, `Request ${error.id}`),
    error.again && el('button', {type: 'button', click: () => show(true)}, 'Try again'))] : []));
}

const clock = (at) => at.toLocaleTimeString('en-GB', {hour: '2-digit', minute: '2-digit', second: '2-digit'});

const said = {
  quota({limit, left, reset}) {
    $('quota').textContent = `${format(left)} of ${format(limit)} requests left`;
    $('quota').title = `The oldest of this hour's requests is given back at ${clock(reset)}.`;
  },
  waiting(until) {
    const text = 'This key has used its requests of the hour (429 rate_limited). The page goes on by itself at ';
    $('message').replaceChildren(...(until ? [el('div', {class: 'message warm'}, text + clock(until) + '.')] : []));
  },
};

function open(key) {
  tab('key', key);
  api = new Api(base, key, said);
  interviews = new Interviews({api: () => api, go, view, message, scopes: () => $('scopes')});
  analytics = null;
  $('key').hidden = true;
  $('other-key').hidden = false;
  show();
}

function askForKey() {
  loading?.abort();
  $('key').hidden = false;
  $('view').hidden = $('other-key').hidden = true;
  $('view').setAttribute('aria-busy', 'false');
  $('quota').textContent = '';
  $('key-text').focus();
}

/** Shows what the address says. What is already here is not requested again. */
async function show(again) {
  if (!api) return;
  loading?.abort();
  loading = new AbortController();
  const {signal} = loading, now = view(), before = api.spent;
  message(null);
  $('view').hidden = false;
  fill(now);
  const span = now.from + '/' + now.to;
  const has = () => analytics?.span === span;
  try {
    $('view').setAttribute('aria-busy', 'true');
    const list = interviews.show(now, signal, again);
    if (!again && has()) draw(now);
    const numbers = !again && has() ? null : api.get('analytics/interviews', {date_from: now.from, date_to: now.to}, signal).then((answer) => {
      analytics = {span, ...answer};
      interviews.learn({'read:interviews_metadata': true});
      draw(now);
    });
    const failed = (await Promise.allSettled([numbers, list])).find((part) => part.status === 'rejected');
    if (signal.aborted) return;
    fill(now); // the campaigns' names came with the list
    if (!has()) $('tiles').replaceChildren();
    $('charts').hidden = !has();
    const cost = api.spent - before;
    $('cost').textContent = cost === 0 ? 'This view cost no request.' : `This view cost ${cost} request${cost === 1 ? '' : 's'}.`;
    if (failed) throw failed.reason;
  } catch (error) {
    if (error.name === 'AbortError' || signal.aborted) return;
    if (error.scope) interviews.learn({[error.scope]: false});
    message(error);
    if (error.status === 401) {
      tab('key', '');
      api = null;
      askForKey();
    }
  } finally {
    if (!signal.aborted) $('view').setAttribute('aria-busy', 'false');
  }
}

/** Sets the controls to what the address says. */
function fill(now) {
  $('days').value = now.days;
  document.querySelectorAll('.dates').forEach((label) => { label.hidden = now.days !== 'own'; });
  $('from').value = now.from;
  $('to').value = now.to;
  $('status').value = now.status;
  const options = new Map(interviews.live());
  for (const campaign of analytics ? byCampaign(analytics.data.rows) : []) options.set(campaign.slug, campaign.label);
  if (now.campaign && !options.has(now.campaign)) options.set(now.campaign, now.campaign);
  $('campaign').replaceChildren(el('option', {value: ''}, 'All campaigns'),
    ...[...options].map(([slug, label]) => el('option', {value: slug}, label)));
  $('campaign').value = now.campaign;
}

const part = (value) => (value === null ? '–' : format(value) + ' %');
const signed = (value) => (value === null ? '–' : (value > 0 ? '+' : '') + format(value).replace('-', '−'));

function draw(now) {
  fill(now);
  const {data, meta, read} = analytics;
  const rows = now.campaign ? data.rows.filter((row) => row.campaignSlug === now.campaign) : data.rows;
  const counted = series(data.volume.map((point) => point.label), rows);
  const {all} = counted;
  const moment = (meta.measurement_as_of || read).slice(0, 19).replace('T', ' ') + ' UTC';
  const total = meta.measurement_total_count;
  const campaign = now.campaign && ($('campaign').selectedOptions[0]?.textContent || now.campaign);
  $('source').textContent = `${format(all.total)} interview${all.total === 1 ? '' : 's'}` +
    (campaign ? ` of ${campaign}, ${format(data.total)} of all campaigns` : '') + ' in this window' +
    (total === undefined ? '. Legacy measurement: the API gives no total of all time.' : `, ${format(total)} of all time.`) +
    ` As of ${moment}.`;
  tiles(all);
  $('charts').hidden = false;
  if (data.total === 0) {
    $('message').replaceChildren(el('div', {class: 'message'}, el('p', {}, total === 0 ? 'This brand has no interviews yet.' : 'No interview was held in this window.'),
      total !== 0 && now.days !== 'all' && el('button', {type: 'button', click: () => go({days: 'all', from: '', to: ''})}, 'Show all time')));
  }
  const source = `${campaign || 'All campaigns'}, ${format(all.total)} interviews, as of ${moment}`;
  const file = (name) => [name, now.from, now.to, now.campaign].filter(Boolean).join('-').replace(/[^\w.-]+/g, '_');
  const put = (name, chart) => cards[name].draw({source, file: file(name), ...chart});
  byWeek(put, counted);
  byDay(put, counted, all);
  ofMoods(put, all);
  ofCampaigns(put, byCampaign(data.rows), now.campaign, `All campaigns, ${format(data.total)} interviews, as of ${moment}`);
}

function tiles(all) {
  const tile = (name, value, note, mood) => el('div', {class: 'card tile'}, el('dt', {class: mood}, name), el('dd', {}, value), el('dd', {class: 'note'}, note));
  const of = (mood) => `${format(all[mood])} of ${format(scored(all))} scores`;
  $('tiles').replaceChildren(
    tile('NPS', signed(nps(all)), `${format(scored(all))} scores`),
    tile('Interviews', format(all.total), `${format(all.unknown)} without a score`),
    tile('Promoters', part(share(all, 'promoter')), of('promoter'), 'promoter'),
    tile('Passives', part(share(all, 'passive')), of('passive'), 'passive'),
    tile('Detractors', part(share(all, 'detractor')), of('detractor'), 'detractor'));
}

const names = {promoter: 'Promoters', passive: 'Passives', detractor: 'Detractors', unknown: 'No score'};
const cards = Object.fromEntries([
  ['nps-by-week', 'NPS by week', 'wide'], ['sentiment', 'Sentiment', 'narrow'],
  ['shares-by-week', 'Shares by week', 'half'], ['volume-by-day', 'Interviews by day', 'half'],
  ['campaigns-by-size', 'Campaigns by size', 'half'], ['campaigns-by-nps', 'Campaigns by NPS', 'half'],
].map(([name, title, width]) => [name, new ChartCard($('charts').appendChild(el('section', {class: width, id: name, 'aria-label': title})), title)]));

const short = new Intl.DateTimeFormat('en-GB', {day: 'numeric', month: 'short', timeZone: 'UTC'});
const long = new Intl.DateTimeFormat('en-GB', {day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC'});
/** Ticks and tooltips of an axis of dates. */
const dateAxis = (dates) => ({grid: {display: false}, ticks: {maxRotation: 0, autoSkipPadding: 16,
  callback: (_, i) => (dates.length > 370 / (dates[1] && Date.parse(dates[1]) - Date.parse(dates[0]) > 2e8 ? 7 : 1) ? long : short).format(new Date(dates[i]))}});
const titles = (dates, prefix = '') => ({title: ([item]) => prefix + long.format(new Date(dates[item.dataIndex]))});
const nearest = {mode: 'index', intersect: false};

function byWeek(put, {byWeek: weeks, byDay: days}) {
  const dates = [...weeks.keys()], counts = [...weeks.values()];
  const values = counts.map(nps);
  const given = values.filter((value) => value !== null);
  const today = new Date().toISOString().slice(0, 10), ends = [...days.keys()];
  // A week at the window's edge, or this one, is not whole.
  const partial = {0: ends[0] !== dates[0], [dates.length - 1]: ends.at(-1) !== plusDays(dates.at(-1) || today, 6) || ends.at(-1) >= today};
  const head = ['Week from', 'NPS', ...moods.map((mood) => names[mood]), 'Interviews'];
  const rows = counts.map((count, i) => [dates[i], values[i], ...moods.map((mood) => count[mood]), count.total]);
  put('nps-by-week', {
    head, rows,
    note: `Share of promoters less share of detractors. Hollow: fewer than ${few} scores.${Object.values(partial).includes(true) ? ' Dashed: to a week that is not whole.' : ''}`,
    summary: given.length ? `${given.length} weeks with scores, from ${format(given[0])} to ${format(given.at(-1))}; lowest ${format(Math.min(...given))}, highest ${format(Math.max(...given))}.` : 'No scores.',
    config: () => ({
      type: 'line',
      data: {labels: dates, datasets: [{
        data: values, borderColor: colour('--accent'), borderWidth: 2, cubicInterpolationMode: 'monotone', pointRadius: dates.length > 60 ? 2 : 3.5, pointHoverRadius: 6,
        pointBackgroundColor: counts.map((count) => colour(scored(count) < few ? '--paper' : '--accent')), pointBorderColor: colour('--accent'),
        spanGaps: true, segment: {borderDash: ({p0DataIndex, p1DataIndex}) => (p0DataIndex === 0 && partial[0] || p1DataIndex === dates.length - 1 && partial[p1DataIndex] ? [5, 4] : undefined)},
      }]},
      options: {
        interaction: nearest,
        scales: {x: dateAxis(dates), y: {grace: '8%', suggestedMin: 0, suggestedMax: 20, ticks: {precision: 0, maxTicksLimit: 7}, grid: {color: ({tick}) => colour(tick?.value === 0 ? '--faint' : '--line')}}},
        plugins: {legend: {display: false}, tooltip: {callbacks: {
          ...titles(dates, 'Week from '), label: ({parsed}) => 'NPS ' + signed(parsed.y),
          footer: ([item]) => { const count = counts[item.dataIndex]; return `${format(scored(count))} scores of ${format(count.total)} interviews`; },
        }}},
      },
    }),
  });
  put('shares-by-week', {
    head: ['Week from', ...moods.slice(0, 3).map((mood) => names[mood] + ', %'), 'Scores'],
    rows: counts.map((count, i) => [dates[i], ...moods.slice(0, 3).map((mood) => share(count, mood)), scored(count)]),
    note: 'Promoters, passives and detractors among those that gave a score.',
    summary: `${dates.length} weeks.`,
    config: () => ({
      type: 'bar',
      data: {labels: dates, datasets: moods.slice(0, 3).toReversed().map((mood) => ({
        label: names[mood], data: counts.map((count) => share(count, mood)), backgroundColor: colour('--' + mood), barPercentage: 1, categoryPercentage: .86,
      }))},
      options: {
        interaction: nearest,
        scales: {x: {...dateAxis(dates), stacked: true}, y: {stacked: true, max: 100, ticks: {stepSize: 25, callback: (value) => value + ' %'}}},
        plugins: {legend: {reverse: true}, tooltip: {reverse: true, callbacks: {
          ...titles(dates, 'Week from '), label: ({dataset, parsed}) => `${dataset.label} ${part(parsed.y)}`,
          footer: ([item]) => `${format(scored(counts[item.dataIndex]))} scores`,
        }}},
      },
    }),
  });
}

function byDay(put, {byDay: days}, all) {
  const dates = [...days.keys()], values = [...days.values()].map((count) => count.total);
  put('volume-by-day', {
    head: ['Day', 'Interviews'], rows: dates.map((date, i) => [date, values[i]]),
    note: `${format(all.total)} interviews, days in UTC.`,
    summary: `${format(all.total)} interviews on ${dates.length} days; most on one day: ${format(Math.max(0, ...values))}.`,
    config: () => ({
      type: 'bar',
      data: {labels: dates, datasets: [{data: values, backgroundColor: colour('--accent'), barPercentage: 1, categoryPercentage: dates.length > 120 ? 1 : .82}]},
      options: {
        interaction: nearest,
        scales: {x: dateAxis(dates), y: {beginAtZero: true, suggestedMax: 4, ticks: {precision: 0, maxTicksLimit: 6}}},
        plugins: {legend: {display: false}, tooltip: {callbacks: {...titles(dates), label: ({parsed}) => `${format(parsed.y)} interview${parsed.y === 1 ? '' : 's'}`}}},
      },
    }),
  });
}

function ofMoods(put, all) {
  put('sentiment', {
    head: ['Sentiment', 'Interviews', '% of all'], rows: moods.map((mood) => [names[mood], all[mood], all.total ? Math.round(all[mood] / all.total * 1000) / 10 : null]),
    note: 'By score, of all interviews.',
    summary: moods.map((mood) => `${names[mood]} ${format(all[mood])}`).join(', ') + '.',
    config: () => ({
      type: 'doughnut',
      data: {labels: moods.map((mood) => `${names[mood]}  ${format(all[mood])}`), datasets: [{data: moods.map((mood) => all[mood]), backgroundColor: moods.map((mood) => colour('--' + mood)), borderColor: colour('--paper'), borderWidth: 2}]},
      options: {cutout: '64%', plugins: {legend: {position: 'bottom', align: 'center'}, tooltip: {callbacks: {label: ({parsed}) => `${format(parsed)} interviews`}}}},
    }),
  });
}

function ofCampaigns(put, campaigns, chosen, source) {
  const note = campaigns.length > shownCampaigns ? `The ${shownCampaigns} first of ${format(campaigns.length)}; all in the table.` : 'All campaigns of this window.';
  const opens = (count) => [count, 'Click: this campaign alone'];
  const label = (campaign) => (campaign.slug === chosen ? '▸ ' : '') + (campaign.label.length > 26 ? campaign.label.slice(0, 25) + '…' : campaign.label);
  const rows = (list) => list.map((campaign) => [campaign.label, campaign.slug, campaign.total, nps(campaign), ...moods.map((mood) => campaign[mood])]);
  const head = ['Campaign', 'Slug', 'Interviews', 'NPS', ...moods.map((mood) => names[mood])];
  const scales = (stacked) => ({x: {stacked, ticks: {precision: 0, maxTicksLimit: 7}}, y: {stacked, grid: {display: false}, ticks: {autoSkip: false}}});
  const options = (list) => ({
    indexAxis: 'y', interaction: {mode: 'nearest', axis: 'y', intersect: false},
    onClick: (_, [bar]) => { if (bar) go({campaign: list[bar.index].slug === chosen ? '' : list[bar.index].slug}); },
  });
  const large = campaigns.slice(0, shownCampaigns);
  put('campaigns-by-size', {
    head, rows: rows(campaigns), note, source, summary: large.map((campaign) => `${campaign.label} ${format(campaign.total)}`).join(', ') + '.',
    config: () => ({
      type: 'bar',
      data: {labels: large.map(label), datasets: moods.map((mood) => ({label: names[mood], data: large.map((campaign) => campaign[mood]), backgroundColor: colour('--' + mood), maxBarThickness: 22}))},
      options: {...options(large), scales: scales(true), interaction: {mode: 'index', axis: 'y', intersect: false},
        plugins: {tooltip: {callbacks: {footer: ([item]) => opens(`${format(large[item.dataIndex].total)} interviews`)}}}},
    }),
  });
  const ranked = campaigns.filter((campaign) => scored(campaign)).sort((a, b) => nps(b) - nps(a));
  const best = ranked.slice(0, shownCampaigns);
  put('campaigns-by-nps', {
    head, rows: rows(ranked), note, source, summary: best.map((campaign) => `${campaign.label} ${signed(nps(campaign))}`).join(', ') + '.',
    config: () => ({
      type: 'bar',
      data: {labels: best.map(label), datasets: [{data: best.map(nps), backgroundColor: best.map((campaign) => colour(nps(campaign) < 0 ? '--detractor' : '--promoter')), maxBarThickness: 22}]},
      options: {...options(best), scales: scales(false),
        plugins: {legend: {display: false}, tooltip: {callbacks: {label: ({parsed}) => 'NPS ' + signed(parsed.x), footer: ([item]) => opens(`${format(scored(best[item.dataIndex]))} scores`)}}}},
    }),
  });
}

// The controls write the address; the address says what is shown.
$('days').append(...Object.entries(windows).map(([value, name]) => el('option', {value}, name)));
$('days').addEventListener('change', () => {
  const now = view(), own = $('days').value === 'own';
  go(own ? {days: '', from: now.from, to: now.to} : {days: $('days').value, from: '', to: ''});
});
for (const name of ['from', 'to', 'campaign', 'status']) $(name).addEventListener('change', () => go({[name]: $(name).value}));
$('window').addEventListener('submit', (event) => event.preventDefault());
$('refresh').addEventListener('click', () => show(true));
copyButton($('link'), () => location.href);
themeButton($('theme'));
$('key').addEventListener('submit', (event) => {
  event.preventDefault();
  const key = $('key-text').value.trim();
  $('key-text').value = '';
  if (key) open(key);
});
$('other-key').addEventListener('click', () => {
  tab('key', '');
  api = null;
  message(null);
  askForKey();
});
addEventListener('popstate', () => show());
addEventListener('hashchange', () => { const key = secret('key'); if (key) open(key); });

const key = secret('key');
if (key) open(key);
else askForKey();
