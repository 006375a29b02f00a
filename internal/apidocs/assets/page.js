// The form that tries an operation, and small helps for readers. The page is
// whole without it.
'use strict';

// Where the API is: the page's own server, under whatever path it was found.
const base = new URL('.', location.href).href.replace(/\/$/, '');
const key = document.getElementById('key');

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

const quoted = (text) => "'" + text.replaceAll("'", "'\\''") + "'";

// More than this is kept out of the page: it would only make it slow.
const shownAtMost = 200000;

function operation(article) {
  const form = article.querySelector('.send');
  const curl = article.querySelector('.curl');
  const next = form.querySelector('.next');
  const answer = form.querySelector('.answer');
  const isPublic = article.hasAttribute('data-public');
  const fields = [...form.querySelectorAll('[data-name]')];
  const first = curl.textContent;
  let cursor = null;

  function address() {
    let path = article.dataset.path;
    const query = new URLSearchParams();
    for (const field of fields) {
      if (field.dataset.in === 'path') path = path.replace(`{${field.dataset.name}}`, encodeURIComponent(field.value || field.placeholder));
      else if (field.value !== '') query.append(field.dataset.name, field.value);
    }
    const text = query.toString();
    return base + path + (text ? '?' + text : '');
  }

  function showCurl() {
    if (fields.every((field) => field.value === '')) {
      curl.textContent = first.replace(document.body.dataset.address, base);
      return;
    }
    curl.textContent = 'curl ' + quoted(address()) + (isPublic ? '' : ' \\\n  -H "Authorization: Bearer $KEY"');
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

  form.addEventListener('input', showCurl);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!isPublic && !key.value.trim()) key.focus();
    send();
  });
  next.addEventListener('click', () => {
    fields.find((field) => field.dataset.name === 'starting_after').value = cursor;
    showCurl();
    send();
  });
  const copy = article.querySelector('.copy');
  if (navigator.clipboard) {
    copy.hidden = false;
    copy.addEventListener('click', async () => {
      await navigator.clipboard.writeText(curl.textContent);
      copy.textContent = 'Copied';
      setTimeout(() => { copy.textContent = 'Copy'; }, 1500);
    });
  }
  showCurl();
}

document.querySelectorAll('pre.json').forEach((pre) => { if (pre.textContent) colour(pre, pre.textContent); });
document.querySelectorAll('.operation').forEach(operation);
key?.closest('form').addEventListener('submit', (event) => event.preventDefault());

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
