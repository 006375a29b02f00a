// The form that tries an operation, search, theme, languages. The page is whole
// without it.
'use strict';

// Where the API is: the page's own server, under whatever path it was found.
const root = document.body.dataset.root;
const base = new URL(root || '.', location.href).href.replace(/\/$/, '');
const docs = base + '/docs/';
const key = document.getElementById('key');

document.querySelector('.address')?.replaceChildren(base + '/api/client/v1/');

// What a browser remembers: the key until the tab is closed, theme and language.
// Storage can be turned off.
const remembered = (storage, name, value) => {
  try {
    if (value === undefined) return storage().getItem(name);
    storage().setItem(name, value);
  } catch { /* then nothing is */ }
  return null;
};
const tab = () => sessionStorage;
const browser = () => localStorage;

function colour(pre, text) {
  const token = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(token)) {
    parts.push(text.slice(at, found.index));
    const span = document.createElement('span');
    span.className = found[2] !== undefined ? 'k' : found[1] ? 't' : 'n';
    span.textContent = found[1] || found[0];
    parts.push(span);
    at = found.index + span.textContent.length;
  }
  parts.push(text.slice(at));
  pre.replaceChildren(...parts);
}

// Indents JSON without reading its numbers: every digit stays as it was sent.
function indent(json) {
  let depth = 0;
  const line = () => '\n' + '  '.repeat(depth);
  return json.trim().replace(/"(?:[^"\\]|\\.)*"|\{\s*\}|\[\s*\]|[{}[\],:]|\s+/g, (part) => {
    switch (part[0]) {
      case '"': return part;
      case ':': return ': ';
      case ',': return ',' + line();
      case '}': case ']': depth--; return line() + part;
      case '{': case '[':
        if (part.length > 1) return part[0] + part[part.length - 1];
        depth++;
        return part + line();
      default: return '';
    }
  });
}

// More than this is kept out of the page: it would only make it slow.
const shownAtMost = 200000;

function operation(article) {
  const form = article.querySelector('.send');
  const samples = [...article.querySelectorAll('.sample')].map((pre) => ({pre, text: pre.textContent}));
  const next = form.querySelector('.next');
  const answer = form.querySelector('.answer');
  const isPublic = article.hasAttribute('data-public');
  const fields = [...form.querySelectorAll('[data-name]')];
  let cursor = null;

  function address() {
    let path = article.dataset.path;
    const query = new URLSearchParams();
    for (const field of fields) {
      if (field.dataset.in === 'path') path = path.replace(`{${field.dataset.name}}`, encodeURIComponent(field.value || field.placeholder).replaceAll("'", '%27'));
      else if (field.value !== '') query.append(field.dataset.name, field.value);
    }
    const text = query.toString();
    return base + path + (text ? '?' + text : '');
  }

  // The samples send what the form says; those of the clients have no URL in them.
  const example = new URL(article.dataset.url);
  const origin = example.href.slice(0, example.href.indexOf('/api/client/v1/'));
  function showSamples() {
    const url = fields.every((field) => field.value === '') ? base + article.dataset.url.slice(origin.length) : address();
    for (const {pre, text} of samples) pre.textContent = text.replace(article.dataset.url, url).replace(origin, base);
  }

  async function send() {
    const button = form.querySelector('[type=submit]');
    const line = answer.querySelector('.answer-status');
    const pre = answer.querySelector('pre');
    button.disabled = true;
    next.hidden = true;
    const started = performance.now();
    try {
      const headers = isPublic || !key.value.trim() ? {} : {Authorization: 'Bearer ' + key.value.trim()};
      const response = await fetch(address(), {headers, credentials: 'omit', redirect: 'error', cache: 'no-store'});
      const text = await response.text();
      const status = document.createElement('span');
      status.className = 'status s' + String(response.status)[0] + 'xx';
      status.textContent = response.status;
      const left = response.headers.get('X-RateLimit-Remaining');
      line.replaceChildren(status, ` in ${Math.round(performance.now() - started)} ms` +
        (left === null ? '' : `, ${left} of ${response.headers.get('X-RateLimit-Limit')} requests left this hour`));
      if (text.length > shownAtMost) pre.textContent = indent(text).slice(0, shownAtMost) + '\n…';
      else colour(pre, indent(text));
      cursor = response.ok && !isPublic ? JSON.parse(text).meta?.next_cursor ?? null : null;
      next.hidden = cursor === null;
    } catch (error) {
      line.textContent = 'No answer';
      pre.textContent = String(error);
    }
    answer.hidden = false;
    button.disabled = false;
  }

  form.addEventListener('input', showSamples);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!isPublic && !key.value.trim()) key.focus();
    send();
  });
  next.addEventListener('click', () => {
    fields.find((field) => field.dataset.name === 'starting_after').value = cursor;
    showSamples();
    send();
  });
  const copy = article.querySelector('.copy');
  if (navigator.clipboard) {
    copy.hidden = false;
    copy.addEventListener('click', async () => {
      await navigator.clipboard.writeText(samples.find(({pre}) => !pre.hidden).pre.textContent);
      copy.textContent = 'Copied';
      setTimeout(() => { copy.textContent = 'Copy'; }, 1500);
    });
  }
  showSamples();
  languages(article.querySelector('.languages'), samples);
}

// Tabs as a keyboard expects them: one is in the order of tabs, arrows choose.
function languages(list, samples) {
  const tabs = [...list.children];
  const choose = (chosen) => tabs.forEach((one, i) => {
    one.setAttribute('aria-selected', one === chosen);
    one.tabIndex = one === chosen ? 0 : -1;
    samples[i].pre.hidden = one !== chosen;
  });
  list.hidden = false;
  choose(tabs.find((one) => one.id === remembered(browser, 'language')) || tabs[0]);
  const chosen = (one) => { choose(one); one.focus(); remembered(browser, 'language', one.id); };
  list.addEventListener('click', (event) => { if (event.target.role === 'tab') chosen(event.target); });
  list.addEventListener('keydown', (event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (step) chosen(tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length]);
  });
}

document.querySelectorAll('pre.json').forEach((pre) => { if (pre.textContent) colour(pre, pre.textContent); });
document.querySelectorAll('.operation').forEach(operation);
key.closest('form').addEventListener('submit', (event) => event.preventDefault());
key.value = remembered(tab, 'key') || '';
key.addEventListener('input', () => remembered(tab, 'key', key.value.trim()));

// The themes in turn: the system's, light, dark.
const theme = document.querySelector('.theme');
const themes = ['', 'light', 'dark'];
const showTheme = () => { theme.textContent = 'Theme: ' + ({light: 'Light', dark: 'Dark'}[document.documentElement.dataset.theme] || 'Auto'); };
theme.hidden = false;
theme.addEventListener('click', () => {
  const next = themes[(themes.indexOf(document.documentElement.dataset.theme || '') + 1) % themes.length];
  document.documentElement.dataset.theme = next;
  remembered(browser, 'theme', next);
  showTheme();
});
showTheme();

// Search over an index that is loaded when it is first opened.
const search = document.querySelector('.search');
const wanted = search.querySelector('input');
const found = search.querySelector('.found');
let index = null;
async function openSearch() {
  search.showModal();
  wanted.select();
  index ??= fetch(docs + 'search.json').then((answer) => answer.json());
  showFound(await index);
}
function showFound(entries) {
  const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = (entry) => (entry.title.toLowerCase().startsWith(words[0]) ? 0 : 1);
  const hits = words.length === 0 ? [] : entries
    .filter((entry) => words.every((word) => (entry.title + ' ' + entry.where).toLowerCase().includes(word)))
    .sort((a, b) => rank(a) - rank(b)).slice(0, 30);
  found.replaceChildren(...hits.map((entry) => {
    const item = document.createElement('li');
    const link = document.createElement('a');
    const where = document.createElement('small');
    link.href = new URL(entry.url, docs);
    link.textContent = entry.title;
    where.textContent = entry.where;
    link.append(where);
    item.append(link);
    return item;
  }));
  search.querySelector('.none').textContent = words.length > 0 && hits.length === 0 ? 'Nothing found' : '';
}
wanted.addEventListener('input', async () => showFound(await index));
search.addEventListener('click', (event) => { if (event.target === search || event.target.closest('a')) search.close(); });
search.addEventListener('keydown', (event) => {
  const links = [...found.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement);
  if (event.key === 'Enter' && event.target === wanted) {
    event.preventDefault();
    links[0]?.click();
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    (links[at + (event.key === 'ArrowDown' ? 1 : -1)] || (at === 0 ? wanted : document.activeElement)).focus();
  }
});
const find = document.querySelector('.find');
find.hidden = false;
find.addEventListener('click', openSearch);
addEventListener('keydown', (event) => {
  const typing = event.target.closest?.('input, select, textarea');
  if ((event.key === 'k' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey)) {
    event.preventDefault();
    if (!search.open) openSearch();
  }
});

const side = document.querySelector('.side');
const narrow = matchMedia('(max-width: 52rem)');
const fold = () => { side.open = !narrow.matches; };
narrow.addEventListener('change', fold);
fold();
side.addEventListener('click', (event) => { if (narrow.matches && event.target.closest('a')) side.open = false; });

// Marks in the contents what is being read.
const links = new Map([...side.querySelectorAll('a[href^="#"]')].map((a) => [decodeURIComponent(a.hash.slice(1)), a]));
const marks = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
let waiting = false;
function mark() {
  waiting = false;
  const reading = marks.findLast((element) => element.getBoundingClientRect().top < 140) || marks[0];
  for (const [id, a] of links) a.classList.toggle('here', id === reading?.id);
}
addEventListener('scroll', () => { if (!waiting) { waiting = true; requestAnimationFrame(mark); } }, {passive: true});
mark();
