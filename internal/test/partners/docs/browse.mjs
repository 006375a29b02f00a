// Opens the pages in Chromium and prints what it saw as JSON:
// node browse.mjs ADDRESS KEY FOLDER-FOR-SCREENSHOTS
import {chromium} from 'playwright-core';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const [address, key, pictures] = process.argv.slice(2);
const profile = mkdtempSync(join(tmpdir(), 'chromium-'));
const seen = {Operations: [], Complaints: [], Foreign: [], Answers: {}, Overflow: [], Guides: {}};

const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  headless: true,
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
    if (message.type() === 'error' && !(refusalsAwaited && /status of 40[01]/.test(message.text()))) seen.Complaints.push(message.text());
  });
  const overflow = async (what) => {
    const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    if (wide > room) seen.Overflow.push(`${what}: ${wide} in ${room}`);
  };

  await page.goto(address + '/docs', {waitUntil: 'networkidle'});
  seen.Operations = await page.locator('.operation:visible').evaluateAll((all) => all.map((one) => one.dataset.operation));
  await overflow('reference 1440');
  await page.screenshot({path: join(pictures, 'reference-1440.png')});

  const attempt = async (operation, fill = {}) => {
    const article = page.locator(`[data-operation="${operation}"]`);
    const form = article.locator('.try');
    if (!await form.evaluate((details) => details.open)) await form.locator('summary').first().click();
    for (const [name, value] of Object.entries(fill)) await form.locator(`[data-name="${name}"]`).fill(value);
    const answer = form.locator('.answer-status');
    const before = await answer.textContent();
    await form.locator('[type=submit]').click();
    await page.waitForFunction(([id, text]) => {
      const found = document.querySelector(`[data-operation="${id}"] .answer-status`).textContent;
      return found !== '' && found !== text;
    }, [operation, before]);
    return {
      Status: await form.locator('.answer .status').textContent(),
      Line: await answer.textContent(),
      Body: await form.locator('.answer pre').textContent(),
      Curl: await article.locator('.curl').textContent(),
      Next: await form.locator('.next').isVisible(),
    };
  };
  refusalsAwaited = true;
  seen.Answers['no key'] = await attempt('listCampaigns');
  await page.locator('#key').fill(key);
  seen.Answers['refused'] = await attempt('listInterviews', {limit: '0'});
  refusalsAwaited = false;
  const list = seen.Answers['list'] = await attempt('listInterviews', {limit: '2'});
  await page.locator('[data-operation="listInterviews"] .try').scrollIntoViewIfNeeded();
  await page.screenshot({path: join(pictures, 'answer-1440.png')});
  const line = page.locator('[data-operation="listInterviews"] .answer-status');
  const before = await line.textContent();
  await page.locator('[data-operation="listInterviews"] .next').click();
  await page.waitForFunction((text) => document.querySelector('[data-operation="listInterviews"] .answer-status').textContent !== text, before);
  seen.Answers['next page'] = {
    Status: await page.locator('[data-operation="listInterviews"] .answer .status').textContent(),
    Body: await page.locator('[data-operation="listInterviews"] .answer pre').textContent(),
  };
  seen.Answers['one'] = await attempt('getInterview', {id: JSON.parse(list.Body).data[0].id});
  seen.Answers['search'] = await attempt('searchIntelligence', {q: 'late'});
  seen.Stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie, location.href]));

  await page.locator('[data-operation="listSynthesis"]').evaluate((article) => {
    article.querySelectorAll('.response, .fields details').forEach((one) => { one.open = true; });
  });
  await overflow('all unfolded 1440');
  for (const [name, width, height] of [['390', 390, 844], ['320', 320, 700]]) {
    await page.setViewportSize({width, height});
    await overflow('all unfolded ' + name);
  }
  await page.setViewportSize({width: 390, height: 844});
  await page.locator('[data-operation="listInterviews"] .try').scrollIntoViewIfNeeded();
  await page.screenshot({path: join(pictures, 'answer-390.png')});
  await page.goto(address + '/docs', {waitUntil: 'networkidle'});
  await page.screenshot({path: join(pictures, 'reference-390.png')});
  await page.locator('[data-operation="listSynthesis"]').scrollIntoViewIfNeeded();
  await page.screenshot({path: join(pictures, 'operation-390.png')});
  for (const guide of ['bi-guide', 'agent-guide']) {
    await page.goto(`${address}/docs/${guide}`, {waitUntil: 'networkidle'});
    seen.Guides[guide] = await page.locator('main h1').textContent();
    await overflow(guide + ' 390');
    await page.screenshot({path: join(pictures, guide + '-390.png')});
  }
  await page.setViewportSize({width: 1440, height: 900});
  await page.screenshot({path: join(pictures, 'agent-guide-1440.png')});
  await page.emulateMedia({colorScheme: 'dark'});
  await page.goto(address + '/docs#op-listSynthesis', {waitUntil: 'networkidle'});
  await page.screenshot({path: join(pictures, 'dark-1440.png')});
  seen.Version = context.browser()?.version() ?? '';
} finally {
  await context.close();
  rmSync(profile, {recursive: true, force: true});
}
console.log(JSON.stringify(seen));
