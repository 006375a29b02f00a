// Opens /explore in Chromium and prints what it saw as JSON:
// node explore.mjs ADDRESS KEYS-AS-JSON FOLDER-FOR-SCREENSHOTS
import {chromium} from 'playwright-core';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';

const [address, keysText, pictures] = process.argv.slice(2);
const keys = JSON.parse(keysText);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const seen = {Complaints: [], Foreign: [], Overflow: [], Violations: [], Views: {}, Steps: {}};

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
try {
  const tabOf = async (options = {}) => {
    const page = await (await browser.newContext({viewport: {width: 1440, height: 900}, permissions: ['clipboard-read', 'clipboard-write'], ...options})).newPage();
    page.sent = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(address + '/') && !request.url().startsWith('blob:')) seen.Foreign.push(request.url());
      if (request.url().includes('/api/client/v1/')) page.sent.push(request.url().split('/api/client/v1/')[1]);
    });
    page.on('pageerror', (error) => seen.Complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of (401|403|429|503)/.test(message.text())) seen.Complaints.push(message.text());
    });
    return page;
  };
  const ready = (page) => page.waitForFunction(() => document.getElementById('view').getAttribute('aria-busy') === 'false');
  const open = async (page, query, key) => {
    await page.goto(`${address}/explore${query}#key=${key}`);
    await ready(page);
  };
  const text = (page, selector) => page.locator(selector).evaluateAll((all) => all.map((one) => one.textContent.trim()).join(' | '));
  const inspect = async (page, what) => {
    const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    if (wide > room) seen.Overflow.push(`${what}: ${wide} in ${room}`);
    const {violations} = await page.evaluate(axe + '; axe.run(document, {resultTypes: ["violations"]})');
    for (const found of violations) seen.Violations.push(`${what}: ${found.id} at ${found.nodes.map((node) => node.target).slice(0, 3).join(', ')}`);
  };

  // One view of each key: what it shows, and whether all of it can be read.
  for (const [name, key] of Object.entries(keys)) {
    const page = await tabOf();
    await open(page, '?days=all', key);
    seen.Views[name] = {
      Tiles: await text(page, '#tiles dd:not(.note)'), Source: await text(page, '#source'), Message: await text(page, '#message'),
      Listed: await text(page, '#listed'), Scopes: await text(page, '#scopes td:last-child'), Campaigns: await text(page, '#campaigns-by-size tbody tr'),
      Charts: await page.locator('#charts canvas:visible').count(), Search: await page.locator('#search').isVisible(), Sent: page.sent,
      Address: page.url(),
    };
    await inspect(page, name);
    await page.context().close();
  }

  // Widths and themes.
  for (const colorScheme of ['light', 'dark']) {
    const page = await tabOf({colorScheme});
    await open(page, '?days=365', keys.every);
    for (const width of [320, 390, 820, 1024, 1440, 1920]) {
      await page.setViewportSize({width, height: 900});
      await page.waitForTimeout(200); // the charts follow the window
      await inspect(page, `${colorScheme} ${width}`);
      if (pictures) await page.screenshot({path: join(pictures, `explore-${width}-${colorScheme}.png`), fullPage: true});
    }
    await page.context().close();
  }

  if (pictures) { // the README's
    const page = await tabOf({viewport: {width: 1280, height: 780}});
    await open(page, '?days=365', keys.every);
    await page.screenshot({path: join(pictures, 'explore.png')});
  }

  // What a reader does, one thing after another.
  const page = await tabOf({acceptDownloads: true});
  const {Steps: steps} = seen;
  await page.goto(address + '/explore');
  steps.Asked = await page.evaluate(() => document.activeElement.id);
  await inspect(page, 'the key');
  await page.keyboard.type(keys.every);
  await page.keyboard.press('Enter');
  await ready(page);
  steps.Stored = await page.evaluate(() => JSON.stringify({...localStorage}) + document.cookie + location.href);
  page.sent.length = 0;
  await page.selectOption('#campaign', 'weekly-box');
  await ready(page);
  steps.Campaign = `${new URL(page.url()).search} ${await page.inputValue('#campaign')}`;
  steps.CampaignSent = page.sent.map((path) => path.split('?')[0]).join(' ');
  await page.locator('#next').click();
  await page.waitForFunction(() => document.getElementById('listed').textContent.startsWith('26 to 50'));
  page.sent.length = 0;
  await page.locator('#previous').click();
  steps.Previous = `${(await text(page, '#listed')).slice(0, 7)} ${page.sent.length}`;
  await page.reload();
  await ready(page);
  steps.Reloaded = await page.inputValue('#campaign');
  await page.goBack();
  await ready(page);
  steps.Back = `${await page.inputValue('#campaign')}${new URL(page.url()).search}`;

  const chart = page.locator('#nps-by-week');
  await chart.getByText('Table').press('Enter');
  steps.Table = String(await chart.locator('table').isVisible() && !await chart.locator('canvas').isVisible());
  const [table] = await Promise.all([page.waitForEvent('download'), chart.getByText('CSV').click()]);
  steps.Csv = String(readFileSync(await table.path(), 'utf8').trim().split('\r\n').length - 1 === await chart.locator('tbody tr').count());
  const [picture] = await Promise.all([page.waitForEvent('download'), chart.getByText('PNG').click()]);
  steps.Png = readFileSync(await picture.path()).subarray(1, 4).toString() + ' ' + picture.suggestedFilename().split('-2')[0];

  await page.fill('#q', 'DELIVERY WINDOW');
  await page.press('#q', 'Enter');
  await page.locator('.hits mark').first().waitFor();
  steps.Marked = (await page.locator('.hits mark').allTextContents()).map((one) => one.toLowerCase()).every((one) => one === 'delivery window') + '';
  await inspect(page, 'search');
  await page.locator('#list a').first().press('Enter');
  await page.locator('dialog[open] .turns').waitFor();
  steps.Interview = `${new URL(page.url()).searchParams.has('interview')} ${await page.locator('dialog .turns li').count() > 3} ${await page.locator('dialog .hidden-part').count()}`;
  await inspect(page, 'an interview');
  if (pictures) await page.screenshot({path: join(pictures, 'explore-interview.png')});
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => !location.search.includes('interview'));

  // A used-up quota and a database that is away, as the API tells of them.
  const envelope = (status, code, headers) => ({status, contentType: 'application/json', headers, body: JSON.stringify({error: code, code})});
  let refuse = [envelope(429, 'rate_limited', {'Retry-After': '1', 'X-RateLimit-Limit': '600', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '1'})];
  await page.route('**/analytics/interviews?*', (route) => { const now = refuse.shift(); return now ? route.fulfill(now) : route.continue(); });
  await page.click('#refresh');
  await page.getByText('429 rate_limited').waitFor();
  await ready(page);
  steps.WentOn = `${await text(page, '#message')}${await page.locator('#charts canvas:visible').count()}`;
  refuse = [envelope(503, 'measurement_unavailable')];
  await page.selectOption('#days', '30');
  await page.getByText('503 measurement_unavailable').waitFor();
  await ready(page);
  steps.Unavailable = `${await page.locator('#charts canvas:visible').count()} ${await text(page, '#tiles')}`;
  await page.getByRole('button', {name: 'Try again'}).click();
  await ready(page);
  steps.Again = `${await text(page, '#message')}${await page.locator('#charts canvas:visible').count()}`;
  await open(page, '?z', 'cik_wrong');
  steps.Wrong = `${await text(page, '#message p:first-child')} ${await page.locator('#key').isVisible()} ${await page.evaluate(() => sessionStorage.getItem('key'))}`;
} finally {
  await browser.close();
}
console.log(JSON.stringify(seen));
