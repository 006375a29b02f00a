// What the pages share: elements, the secret of the tab, requests, theme, files to save.

/** Builds an element. Attributes that are functions are listeners; false leaves one out. */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name, value);
    else if (value !== false && value != null) made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children.flat().filter((child) => child != null && child !== false));
  return made;
}

// Storage can be turned off: then nothing is remembered.
function stored(storage, name, value) {
  try {
    if (value === undefined) return storage().getItem(name);
    if (value === '') storage().removeItem(name);
    else storage().setItem(name, value);
  } catch { /* turned off */ }
  return null;
}

/** Reads, or with a value writes, what the browser remembers until the tab is closed. */
export const tab = (name, value) => stored(() => sessionStorage, name, value);
/** The same for good. */
export const browser = (name, value) => stored(() => localStorage, name, value);

/**
 * The secret that came in the address' fragment (#name=…), else the tab's own. It is
 * taken out of the address, so that a copied address does not contain it.
 */
export function secret(name) {
  const given = new URLSearchParams(location.hash.slice(1)).get(name);
  if (given) {
    tab(name, given.trim());
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  return given?.trim() || tab(name) || '';
}

// A number with more digits than JavaScript keeps stays as it was sent, where the browser can.
const exact = (_, value, {source} = {}) =>
  (typeof value === 'number' && JSON.rawJSON && source?.replace(/\D/g, '').length > 15 ? JSON.rawJSON(source) : value);

/**
 * Sends a request with the secret and returns {status, headers, body}; a body that is no
 * JSON is null. Throws only if no answer came. With options.exact, JSON.stringify writes
 * every number of the body as it came.
 */
export async function send(url, bearer, options = {}) {
  const headers = {...options.headers, ...(bearer && {Authorization: 'Bearer ' + bearer})};
  const response = await fetch(url, {credentials: 'omit', redirect: 'error', cache: 'no-store', ...options, headers});
  const text = await response.text();
  let body = null;
  try { body = JSON.parse(text, options.exact && exact); } catch { /* no JSON */ }
  return {status: response.status, headers: response.headers, body};
}

/** Makes a button that goes through the themes: the system's, light, dark. */
export function themeButton(button) {
  const themes = ['', 'light', 'dark'], root = document.documentElement.dataset;
  const show = () => { button.textContent = 'Theme: ' + ({light: 'light', dark: 'dark'}[root.theme] || 'auto'); };
  button.hidden = false;
  button.addEventListener('click', () => {
    root.theme = themes[(themes.indexOf(root.theme || '') + 1) % themes.length];
    browser('theme', root.theme);
    show();
    document.dispatchEvent(new Event('themechange'));
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => document.dispatchEvent(new Event('themechange')));
  show();
}

/** Makes a button that copies what text() returns; hidden where a page may not copy. */
export function copyButton(button, text) {
  const name = button.textContent;
  button.hidden = !navigator.clipboard;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text());
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = name; }, 1500);
  });
}

/** Rows as CSV. A cell that a spreadsheet would run as a formula gets an apostrophe. */
export function csv(rows) {
  const cell = (value) => {
    let text = value == null ? '' : String(value);
    if (typeof value === 'string' && /^[=+\-@\t\r]/.test(text)) text = "'" + text;
    return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  return new Blob(['\uFEFF' + rows.map((row) => row.map(cell).join(',') + '\r\n').join('')], {type: 'text/csv'});
}

/** Saves a file on the reader's machine. */
export function save(name, blob) {
  const link = el('a', {href: URL.createObjectURL(blob), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** A table of a head and rows; numbers stand to the right. */
export function table(caption, head, rows) {
  const right = (i) => rows.length > 0 && rows.every((row) => row[i] == null || typeof row[i] === 'number') && 'number';
  return el('table', {},
    el('caption', {class: 'hidden'}, caption),
    el('thead', {}, el('tr', {}, head.map((name, i) => el('th', {scope: 'col', class: right(i)}, name)))),
    el('tbody', {}, rows.map((row) => el('tr', {}, row.map((value, i) => el('td', {class: right(i)},
      typeof value === 'number' ? format(value) : value ?? '–'))))));
}

const plain = new Intl.NumberFormat('en', {maximumFractionDigits: 1});
/** A number with separators and at most one decimal. */
export const format = (value) => plain.format(value);
