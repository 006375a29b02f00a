// Search, copying, the form that tries an operation. The pages are whole without it.
import {browser, copyButton, el, secret, tab, themeButton} from './base.js';

// Where the API is: the page's own server, under whatever path it was found.
const base = new URL(document.body.dataset.root || '.', location.href).href.replace(/\/$/, '');
const docs = base + '/docs/';
const main = document.getElementById('main');
const bearer = secret('key'); // also takes it out of the address

document.querySelector('.address')?.replaceChildren(base + '/api/client/v1/');
themeButton(document.querySelector('.theme'));
for (const code of main.querySelectorAll('pre, .route code')) {
  const button = el('button', {type: 'button', class: 'copy small'}, 'Copy');
  const framed = code.tagName === 'PRE' && el('div', {class: 'block'});
  if (framed) {
    code.replaceWith(framed);
    framed.append(code, button);
  } else code.after(' ', button);
  copyButton(button, () => code.textContent);
}

/** Marks the parts of JSON by the classes of the rendered examples. */
function marked(text) {
  const token = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(token)) {
    const shown = found[1] || found[0];
    parts.push(text.slice(at, found.index), el('span', {class: found[2] !== undefined ? 'nt' : found[1] ? 's2' : 'mi'}, shown));
    at = found.index + shown.length;
  }
  return [...parts, text.slice(at)];
}

/** Indents JSON without reading its numbers: every digit stays as it was sent. */
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
  const form = article.querySelector('form');
  const next = form.querySelector('.next');
  const key = form.querySelector('.key'); // absent for a public operation
  const answer = article.querySelector('.answer');
  const fields = [...form.querySelectorAll('[data-name]')];
  const example = (field) => field.placeholder.replace('e.g. ', '');
  let cursor = null;

  function address() {
    let path = article.dataset.path;
    const query = new URLSearchParams();
    for (const field of fields) {
      if (field.dataset.in === 'path') path = path.replace(`{${field.dataset.name}}`, encodeURIComponent(field.value || example(field)).replaceAll("'", '%27'));
      else if (field.value !== '') query.append(field.dataset.name, field.value);
    }
    return base + path + (query.size ? '?' + query : '');
  }

  // The samples send what the form says; those of the clients have no URL in them.
  const {url} = article.dataset;
  const origin = url.slice(0, url.indexOf('/api/client/v1/'));
  const texts = [];
  for (const sample of article.querySelectorAll('.sample')) {
    const nodes = document.createTreeWalker(sample, NodeFilter.SHOW_TEXT);
    while (nodes.nextNode()) if (nodes.currentNode.data.includes(origin)) texts.push([nodes.currentNode, nodes.currentNode.data]);
  }
  function showSamples() {
    const wanted = fields.every((field) => field.value === '') ? base + url.slice(origin.length) : address();
    for (const [node, text] of texts) node.data = text.replace(url, wanted).replace(origin, base);
  }

  async function send() {
    const button = form.querySelector('[type=submit]');
    const line = answer.querySelector('.answer-status');
    const show = (part, ...content) => answer.querySelector(`.answer-${part} code`).replaceChildren(...content);
    button.disabled = true;
    next.hidden = true;
    const started = performance.now();
    try {
      const headers = key?.value.trim() ? {Authorization: 'Bearer ' + key.value.trim()} : {};
      const response = await fetch(address(), {headers, credentials: 'omit', redirect: 'error', cache: 'no-store'});
      const text = await response.text();
      const got = (name) => response.headers.get(name);
      const left = got('X-RateLimit-Remaining'), wait = got('Retry-After');
      line.replaceChildren(
        el('span', {class: 'status s' + String(response.status)[0]}, response.status), ` in ${Math.round(performance.now() - started)} ms`,
        left === null ? '' : `, ${left} of ${got('X-RateLimit-Limit')} requests left this hour`,
        wait === null ? '' : `, wait ${wait} seconds`);
      show('headers', [...response.headers].map(([name, value]) => `${name}: ${value}\n`).join(''));
      if (text.length > shownAtMost) show('body', indent(text.slice(0, shownAtMost)) + '\n…');
      else show('body', ...marked(indent(text)));
      cursor = response.ok && key ? JSON.parse(text).meta?.next_cursor ?? null : null;
      next.hidden = cursor === null;
    } catch (error) {
      line.textContent = 'No answer';
      show('headers');
      show('body', String(error));
    }
    answer.hidden = false;
    button.disabled = false;
  }

  form.addEventListener('input', showSamples);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send();
  });
  next.addEventListener('click', () => {
    fields.find((field) => field.dataset.name === 'starting_after').value = cursor;
    showSamples();
    send();
  });
  if (key) {
    key.value = bearer;
    key.addEventListener('input', () => tab('key', key.value.trim()));
  }
  showSamples();

  const language = article.querySelector('.language');
  const choose = () => article.querySelectorAll('.sample').forEach((one) => { one.parentElement.hidden = one.id !== 'sample-' + language.value; });
  const known = browser('language');
  if ([...language.options].some((one) => one.value === known)) language.value = known;
  language.hidden = false;
  language.addEventListener('change', () => { browser('language', language.value); choose(); });
  choose();
}
main.querySelectorAll('.operation').forEach(operation);

// Search over every page. Index and library are loaded when it is first opened.
const search = document.querySelector('.search');
const wanted = search.querySelector('input');
const found = search.querySelector('.found');
let index = null;

async function load() {
  const [{default: MiniSearch}, entries] = await Promise.all([import('./minisearch.js'), fetch(docs + 'search.json').then((answer) => answer.json())]);
  const made = new MiniSearch({
    fields: ['title', 'words', 'where', 'text'], storeFields: ['group', 'title', 'where', 'url', 'text'],
    searchOptions: {boost: {title: 4, words: 3}, prefix: true, fuzzy: (term) => (term.length > 4 ? 0.15 : 0), combineWith: 'AND'},
  });
  made.addAll(entries);
  return made;
}

/** The words around the first one that was found, with those found marked. */
function excerpt(text, terms) {
  const any = new RegExp(`(${terms.map((term) => term.replace(/[^\p{L}\p{N}]/gu, '\\$&')).join('|')})`, 'giu');
  const from = Math.max(0, text.search(any) - 50);
  const part = (from ? '…' : '') + text.slice(from, from + 150) + (text.length > from + 150 ? '…' : '');
  return part.split(any).map((piece, i) => (i % 2 ? el('mark', {}, piece) : piece));
}

async function showFound() {
  const hits = (await (index ??= load())).search(wanted.value);
  const groups = Map.groupBy(hits, (hit) => hit.group);
  found.replaceChildren(...[...groups].flatMap(([group, all]) => [
    el('h2', {}, group),
    el('ul', {}, all.slice(0, 5).map((hit) => el('li', {}, el('a', {href: new URL(hit.url, docs)},
      hit.title, ' ', el('small', {}, hit.where), hit.text && el('span', {}, ...excerpt(hit.text, hit.terms)))))),
  ]));
  search.querySelector('.count').textContent = wanted.value.trim() ? `${hits.length || 'Nothing'} found` : '';
}
function openSearch() {
  search.showModal();
  wanted.select();
  showFound();
}
wanted.addEventListener('input', showFound);
search.addEventListener('click', (event) => { if (event.target === search || event.target.closest('a')) search.close(); });
search.addEventListener('keydown', (event) => {
  const links = [...found.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement);
  if (event.key === 'Enter' && event.target === wanted) {
    event.preventDefault();
    links[0]?.click();
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    (links[at + (event.key === 'ArrowDown' ? 1 : -1)] || (at <= 0 ? wanted : links[at])).focus();
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

// The contents are open beside the page and closed above it.
const side = document.querySelector('.side');
const narrow = matchMedia('(max-width: 52rem)');
const fit = () => { side.open = !narrow.matches; };
narrow.addEventListener('change', fit);
fit();
side.addEventListener('click', (event) => { if (narrow.matches && event.target.closest('a')) side.open = false; });
side.querySelector('[aria-current]')?.scrollIntoView({block: 'nearest'});

// Marks in the contents what is being read.
const links = new Map([...side.querySelectorAll('a[href^="#"]')].map((a) => [decodeURIComponent(a.hash.slice(1)), a]));
const marks = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
let waiting = false;
function mark() {
  waiting = false;
  const reading = marks.findLast((element) => element.getBoundingClientRect().top < 140);
  for (const [id, a] of links) a.classList.toggle('here', id === reading?.id);
}
addEventListener('scroll', () => { if (!waiting) { waiting = true; requestAnimationFrame(mark); } }, {passive: true});
mark();
