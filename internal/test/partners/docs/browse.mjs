// Opens the pages in Chromium and prints what it saw as JSON:
// node browse.mjs ADDRESS KEY FOLDER-FOR-SCREENSHOTS
import {chromium} from 'playwright-core';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const [address, key, pictures] = process.argv.slice(2);
const profile = mkdtempSync(join(tmpdir(), 'chromium-'));
const seen = {Operations: [], Complaints: [], Foreign: [], Answers: {}, Overflow: [], Guides: {}, Violations: [], Broken: [], Clipped: [], Overlaps: [], Uncopied: [], Found: {}};

const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  headless: true,
  permissions: ['clipboard-read', 'clipboard-write'],
  viewport: {width: 1440, height: 900},
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});
try {
  const page = await context.newPage();
  page.on('request', (request) => { if (!request.url().startsWith(address + '/')) seen.Foreign.push(request.url()); });
  page.on('pageerror', (error) => seen.Complaints.push(String(error)));
  // A refusal that was asked for is the browser's complaint, too.
  let refusalsAwaited = false;
  page.on('console', (message) => {
    if (message.type() === 'error' && !(refusalsAwaited && /status of 40[014]/.test(message.text()))) seen.Complaints.push(message.text());
  });
  const overflow = async (what) => {
    const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    if (wide > room) seen.Overflow.push(`${what}: ${wide} in ${room}`);
  };

  // What axe finds, in either theme and at three widths.
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const inspect = async (what) => {
    const {violations} = await page.evaluate(axe + '; axe.run(document, {resultTypes: ["violations"]})');
    for (const found of violations) seen.Violations.push(`${what}: ${found.id} at ${found.nodes.map((node) => node.target).slice(0, 3).join(', ')}`);
  };
  const open = (path) => page.goto(address + path, {waitUntil: 'networkidle'});
  const picture = (name) => page.screenshot({path: join(pictures, name + '.png')});

  await open('/docs');
  const links = await page.locator('.operations a').evaluateAll((all) => all.map((one) => one.getAttribute('href')));
  seen.Operations = links.map((link) => link.split('/').pop());
  await overflow('reference 1440');
  await picture('reference-1440');

  // The first stop of the keyboard leads past the bar.
  await page.keyboard.press('Tab');
  seen.Skip = await page.evaluate(() => document.activeElement.textContent);
  await page.keyboard.press('Enter');
  seen.Skip += ' ' + await page.evaluate(() => document.activeElement.id);

  const find = async (keys, words) => {
    await page.keyboard.press(keys);
    await page.locator('.search input').fill(words);
    await page.locator('.found a').first().waitFor();
  };
  for (const words of ['pagination', 'webhook', 'auth', 'token', 'retry-after', 'excel', 'sdk', 'timezone', 'promoter', 'read:transcripts', '429', 'nps_score']) {
    await find('/', words);
    seen.Found[words] = await page.locator('.found').evaluate((found) => [...found.querySelectorAll('ul')].flatMap((list) =>
      [...list.querySelectorAll('a')].map((a) => list.previousSibling.textContent + ': ' + a.getAttribute('href').replace(/.*\/docs/, 'docs'))));
    if (words === '429') {
      await inspect('search');
      await picture('search-1440');
    }
    await page.keyboard.press('Escape');
  }
  await find('Control+k', 'list interviews');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs/listInterviews');
  await open('/docs/agent-guide#key=' + key);
  seen.Address = await page.evaluate(() => location.pathname + location.hash);
  await open('/docs/listInterviews');
  seen.KeyAfterGuide = await page.locator('.key').inputValue();

  // The language that was chosen is remembered, and what is copied is what is shown.
  seen.Languages = await page.locator('.language option').allTextContents();
  await page.locator('.language').selectOption('go');
  await open('/docs/searchIntelligence');
  seen.Sample = await page.locator('.sample:visible').textContent();
  await page.locator('.language').selectOption('curl');
  await page.locator('.block:visible .copy').first().click();
  seen.Copied = await page.evaluate(() => navigator.clipboard.readText());
  for (const one of await page.locator('.language option').all()) {
    await page.locator('.language').selectOption(await one.getAttribute('value'));
    seen.Clipped.push(...await page.evaluate(() => [...document.querySelectorAll('.block:not([hidden]) > .sample')].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.id)));
  }
  await page.locator('.language').selectOption('curl');

  const attempt = async (operation, fill = {}) => {
    await open('/docs/' + operation);
    const form = page.locator('.try');
    await form.locator('summary').first().click();
    for (const [name, value] of Object.entries(fill)) await form.locator(`[data-name="${name}"]`).fill(value);
    await form.locator('[type=submit]').click();
    await page.waitForFunction(() => document.querySelector('.answer-status').textContent !== '');
    return {
      Status: await form.locator('.answer .status').textContent(),
      Headers: await form.locator('.answer-headers code').textContent(),
      Line: await form.locator('.answer-status').textContent(),
      Body: await form.locator('.answer-body code').textContent(),
      Curl: await page.locator('#sample-curl code').textContent(),
      Next: await form.locator('.next').isVisible(),
    };
  };
  refusalsAwaited = true;
  seen.Answers['refused'] = await attempt('listInterviews', {limit: '0'});
  refusalsAwaited = false;
  const list = seen.Answers['list'] = await attempt('listInterviews', {limit: '2'});
  await page.locator('.try').scrollIntoViewIfNeeded();
  await picture('answer-1440');
  const line = page.locator('.answer-status');
  const before = await line.textContent();
  await page.locator('.next').click();
  await page.waitForFunction((text) => document.querySelector('.answer-status').textContent !== text, before);
  seen.Answers['next page'] = {
    Status: await page.locator('.answer .status').textContent(),
    Body: await page.locator('.answer-body code').textContent(),
  };
  seen.Answers['one'] = await attempt('getInterview', {id: JSON.parse(list.Body).data[0].id});
  seen.Answers['search'] = await attempt('searchIntelligence', {q: 'late'});
  seen.Stored = await page.evaluate(() => JSON.stringify([localStorage, document.cookie, location.href]));
  // A tab of its own knows no key.
  const fresh = await context.newPage();
  await fresh.goto(address + '/docs/listCampaigns', {waitUntil: 'networkidle'});
  seen.KeyOfNewTab = await fresh.locator('.key').inputValue();
  await fresh.close();
  await page.locator('.key').fill('');
  refusalsAwaited = true;
  seen.Answers['no key'] = await attempt('listCampaigns');
  await open('/docs/none/at/all');
  seen.Missing = await page.locator('main h1').textContent();
  refusalsAwaited = false;

  for (const theme of ['light', 'dark']) {
    await open('/docs');
    while (await page.locator('.theme').textContent() !== 'Theme: ' + theme) await page.locator('.theme').click();
    for (const width of [1440, 1000, 820, 390]) {
      await page.setViewportSize({width, height: 900});
      for (const path of ['/docs', '/docs/listInterviews', '/docs/listSynthesis', '/docs/Meta', '/docs/errors', '/docs/bi-guide', '/docs/agent-guide', '/docs/clients']) {
        await open(path);
        const what = `${path.split('/').pop()}-${width}-${theme}`;
        await picture(what);
        await page.evaluate(() => document.querySelectorAll('main details').forEach((one) => { one.open = true; }));
        await overflow(what);
        await inspect(what);
        if (path.endsWith('guide')) seen.Guides[path.split('/').pop()] = await page.locator('main h1').textContent();
        // No code of an error may break inside the word.
        seen.Broken.push(...await page.evaluate(() => [...document.querySelectorAll('td code')]
          .filter((code) => /^[a-z_]+$/.test(code.textContent) && code.getClientRects().length > 1).map((code) => code.textContent)));
        seen.Uncopied.push(...await page.evaluate((what) => [...document.querySelectorAll('main pre')]
          .filter((pre) => !pre.parentElement.querySelector('.copy:not([hidden])')).map(() => what), what));
      }
    }
    await page.setViewportSize({width: 1440, height: 900});
  }
  // At no width does a part of the bar cover another, or the page run sideways.
  for (const path of ['/docs', '/docs/listInterviews', '/docs/bi-guide', '/docs/PublishedSynthesisBody']) {
    await open(path);
    for (let width = 320; width <= 1920; width += 40) {
      await page.setViewportSize({width, height: 700});
      await overflow(path + ' ' + width);
      seen.Overlaps.push(...await page.evaluate((what) => {
        const boxes = [...document.querySelector('.bar').children].map((part) => part.getBoundingClientRect());
        const covers = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
        return boxes.some((a, i) => boxes.some((b, j) => i < j && covers(a, b))) ? [what] : [];
      }, path + ' ' + width));
    }
  }
  seen.Version = context.browser()?.version() ?? '';
} finally {
  await context.close();
  rmSync(profile, {recursive: true, force: true});
}
console.log(JSON.stringify(seen));
