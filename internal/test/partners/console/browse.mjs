// Opens the developer page in Chromium and prints what it saw as JSON:
// node browse.mjs CONSOLE API FOLDER-FOR-SCREENSHOTS TOKEN BUSY-TOKEN OPERATOR-TOKEN EXPIRED-TOKEN
import {chromium} from 'playwright-core';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const [address, api, pictures, token, busy, operator, expired] = process.argv.slice(2);
const profile = mkdtempSync(join(tmpdir(), 'chromium-'));
const seen = {Complaints: [], Foreign: [], Overflow: [], Violations: []};
const ask = async (key) => (await fetch(api + '/api/client/v1/campaigns', {headers: {Authorization: 'Bearer ' + key}})).status;

const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  headless: true,
  viewport: {width: 1440, height: 900},
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});
try {
  const page = await context.newPage();
  let refusalsAwaited = false;
  page.on('request', (request) => { if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(address + '/')) seen.Foreign.push(request.url()); });
  page.on('pageerror', (error) => seen.Complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !(refusalsAwaited && /status of 401/.test(message.text()))) seen.Complaints.push(message.text());
  });
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const inspect = async (what) => {
    const {violations} = await page.evaluate(axe + '; axe.run(document, {resultTypes: ["violations"]})');
    for (const found of violations) seen.Violations.push(`${what}: ${found.id} at ${found.nodes.map((node) => node.target).slice(0, 3).join(', ')}`);
    const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    if (wide > room) seen.Overflow.push(`${what}: ${wide} in ${room}`);
    await page.screenshot({path: join(pictures, what + '.png')});
  };
  const open = async (with_) => { await page.goto('about:blank'); await page.goto(address + '/#token=' + with_); };
  const row = (prefix) => page.locator(`tr[data-key="${prefix}"]`);
  const prefixOf = (key) => key.slice(4, 16);
  const reveal = async () => {
    await page.locator('#secret').waitFor();
    return page.locator('#secret').textContent();
  };

  await page.goto(address + '/');
  await page.locator('.message').waitFor();
  seen.SignedOut = await page.locator('.message').textContent();
  await inspect('signed-out');

  await open(token);
  await page.locator('#view').waitFor();
  seen.Address = page.url();
  seen.Empty = await page.locator('#keys-table').textContent();
  await page.keyboard.press('Tab');
  seen.Skip = await page.evaluate(() => document.activeElement.textContent);

  await page.locator('#issue').click();
  await page.locator('dialog input').first().fill('<img src=x onerror=alert(1)>');
  await page.locator('dialog input[value="read:transcripts"]').check();
  await inspect('issue-1440');
  await page.keyboard.press('Enter');
  const first = await reveal();
  seen.Curl = await page.locator('#curl').textContent();
  seen.Key = first;
  await inspect('issued-1440');
  seen.Issued = await ask(first);
  await page.keyboard.press('Escape');
  await row(prefixOf(first)).getByText('1 of 600').waitFor({timeout: 60000}); // by itself
  seen.Row = await row(prefixOf(first)).locator('strong').textContent();

  await row(prefixOf(first)).getByRole('button', {name: 'Rotate'}).click();
  await page.locator('dialog [type=submit]').click();
  const second = await reveal();
  await page.locator('dialog .primary').click();
  seen.Rotated = [await ask(first), await ask(second)];
  await row(prefixOf(first)).getByText('ends').waitFor();
  await row(prefixOf(first)).getByRole('button', {name: 'Revoke'}).click();
  await page.locator('dialog input').waitFor(); // it reads the key first
  seen.Confirm = await page.locator('dialog').textContent();
  await inspect('revoke-1440');
  await page.locator('dialog input').fill('It leaked');
  await page.locator('dialog [type=submit]').click();
  await page.locator('dialog').waitFor({state: 'hidden'});
  seen.Revoked = [await ask(first), await ask(second)];
  seen.Audit = await page.locator('#audit-table tbody tr').evaluateAll((rows) => rows.map((one) => [...one.cells].slice(1, 6).map((cell) => cell.textContent).join('|')));
  seen.Stored = await page.evaluate(() => JSON.stringify([localStorage, document.cookie, location.href]));
  seen.Text = await page.locator('body').textContent();

  for (const theme of ['light', 'dark']) {
    await page.emulateMedia({colorScheme: theme});
    for (const [width, height] of [[1440, 900], [820, 1100], [390, 844]]) {
      await page.setViewportSize({width, height});
      await open(busy);
      await page.locator('#by-route canvas').waitFor();
      seen.Rows = await page.locator('#keys-table tbody tr').count();
      await page.locator('#find').fill('key 29');
      seen.Found = await page.locator('#keys-table tbody tr').count();
      await inspect(`page-${width}-${theme}`);
      await page.screenshot({path: join(pictures, `whole-${width}-${theme}.png`), fullPage: true});
    }
  }
  seen.Marks = await page.locator('#keys-table .chip.bad').allTextContents();
  await page.getByRole('button', {name: 'Requests by status: Table'}).click();
  seen.Usage = await page.locator('#by-status table').evaluate((table) => [...table.rows].map((one) => [...one.cells].map((cell) => cell.textContent).join('|')).filter((line, i) => i === 0 || /[1-9]/.test(line.slice(10))));
  await page.setViewportSize({width: 320, height: 700});
  await inspect('page-320');
  await page.setViewportSize({width: 1440, height: 900});

  await open(operator);
  await page.locator('#client option').nth(1).waitFor({state: 'attached'});
  seen.Clients = await page.locator('#client option').count();

  refusalsAwaited = true;
  await open(expired);
  await page.locator('.message').waitFor();
  seen.Expired = await page.locator('.message').textContent();
  seen.View = await page.locator('#view').isVisible();
} finally {
  await context.close();
  rmSync(profile, {recursive: true, force: true});
}
console.log(JSON.stringify(seen));
