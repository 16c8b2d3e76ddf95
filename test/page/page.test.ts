import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Program, statusOf } from '../end-to-end/program.ts';
import { expectAccessible, openBrowser, shoot, watchFaults } from './browser.ts';

const XSS = `<img src=x onerror="document.title='broken in'">`;
const PLANT = `
machines:
  - { machineId: RF-01, name: Ridge line 1, topicRoot: plant1/rollformer-1 }
  - { machineId: RF-02, name: Panel line 1, topicRoot: plant1/rollformer-2 }
  - { machineId: RF-03, name: '${XSS.replaceAll("'", "''")}', topicRoot: plant1/rollformer-3 }
  - { machineId: RF-04, name: Trim line 1, topicRoot: plant1/rollformer-4 }
parts: [ { partId: P-100, partName: Panel 100 }, { partId: P-210, partName: Ridge cap } ]
downtimeReasons:
  - { id: DT-01, reason: Coil change, group: Planned }
  - { id: DT-02, reason: Tooling adjustment, group: Setup }
  - { id: DT-03, reason: Drive fault, group: Breakdown }
users: [ { name: pat, role: technician, password: rolls and coils } ]
`;

let browser: Browser;
let program: Program;
let page: Page;
let faults: readonly string[];
let origin: string;
let bootMs = 1_000_000;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

beforeEach(async () => {
  program = await Program.start({ plant: PLANT });
  origin = `http://127.0.0.1:${program.httpPort}`;
});
afterEach(async () => {
  await page.context().close();
  await program.kill();
  program.cleanUp();
  expect(faults).toEqual([]);
});

/** What a PLC says. */
async function say(machineId: string, fields: object): Promise<void> {
  bootMs += 1_000;
  const { status } = await program.device('status', statusOf({ machineId, mSecSinceBoot: bootMs, ...fields }));
  expect(status).toBe(200);
}

/** RF-01 ran and stopped; RF-02 has no part; RF-03 reports a fault; RF-04 runs. */
async function plantAtWork(): Promise<void> {
  await say('RF-01', { partId: 'P-210', running: true });
  await say('RF-01', { partId: 'P-210', running: false });
  await say('RF-02', { running: false });
  await say('RF-03', { partId: 'P-100', running: false, fault: true });
  await say('RF-04', { partId: 'P-100', running: true, goodPart: 1_234 });
}

async function open(place: string, options: BrowserContextOptions = {}): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US', ...options });
  page = await context.newPage();
  faults = watchFaults(page, origin);
  await page.goto(`${origin}${place}`);
  await page.getByLabel(/^Name$/).fill('pat');
  await page.getByLabel(/Password|Passwort/).fill('rolls and coils');
  await page.keyboard.press('Enter');
  await page.locator('.stage').waitFor();
}

const headline = () => page.locator('h1').textContent();

describe('Andon', () => {
  it('says how many machines need a person, the worst first, and opens it', async () => {
    await plantAtWork();
    await open('/');
    await expect.poll(headline).toBe('3 machines need a person');
    await expect.poll(() => page.title()).toBe('3 machines need a person · plantgate');
    expect(await page.locator('.tile .name').allTextContents()).toEqual(['Ridge line 1', 'Panel line 1', XSS]);
    expect(await page.locator('.mini .name').allTextContents()).toEqual(['Trim line 1']);
    expect(await page.locator('.tile-worst .why').textContent()).toBe('Downtime categorization required');
    await expectAccessible(page);
    await shoot(page, 'andon');
    await page.getByRole('link', { name: 'Open Ridge line 1' }).click();
    await expect.poll(headline).toBe('Ridge line 1 may not run');
    expect(page.url()).toBe(`${origin}/machine/RF-01`);
  });

  it('shows a change within 200 ms', async () => {
    await plantAtWork();
    await open('/');
    await expect.poll(headline).toBe('3 machines need a person');
    const changed = page.evaluate(
      `new Promise((resolve) => new MutationObserver(() => {
        if (document.querySelector('h1').textContent.startsWith('4')) resolve(Date.now());
      }).observe(document.body, { subtree: true, childList: true, characterData: true }))`,
    );
    const at = Date.now();
    await say('RF-04', { partId: 'P-100', running: false });
    expect(Number(await changed) - at).toBeLessThan(200);
  });
});

describe('a machine', () => {
  it('says which rule holds it; a stop gets its reason in two taps from Andon, and back', async () => {
    await plantAtWork();
    await open('/', { hasTouch: true });
    await page
      .getByRole('link', { name: /^Stops/ })
      .first()
      .tap();
    await expect.poll(headline).toBe('1 stop waits for a reason');
    await expectAccessible(page);
    await shoot(page, 'stops');
    await page.getByRole('button', { name: 'Coil change' }).tap();
    await expect.poll(headline).toBe('Every stop has its reason');
    expect((await program.api('GET', '/machines/RF-01')).body.decision.runEnabled).toBe(true);
    await shoot(page, 'stops-toast');
    await page.getByRole('button', { name: 'Undo' }).tap();
    await expect.poll(headline).toBe('1 stop waits for a reason');
    expect((await program.api('GET', '/machines/RF-01')).body.decision.runEnabled).toBe(false);
  });

  it('gets a part by keyboard, and the one before it again', async () => {
    await plantAtWork();
    await open('/machine/RF-02');
    await expect.poll(headline).toBe('Panel line 1 may not run');
    await expectAccessible(page);
    await shoot(page, 'machine');
    await page.getByRole('link', { name: 'Choose part' }).first().focus();
    await page.keyboard.press('Enter');
    await expect.poll(headline).toBe('What runs next on Panel line 1?');
    await page.getByLabel('Search by name or number').fill('ridge');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(headline).toBe('Panel line 1 may run');
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await expect.poll(headline).toBe('Panel line 1 may not run');
  });

  it('shows the last message as it came, beside what was understood', async () => {
    await open('/machine/RF-04');
    await say('RF-04', { partId: 'P-100', powered: true, lineNo: 4 });
    await expect.poll(() => page.locator('.raw').textContent(), { timeout: 5_000 }).toContain('"lineNo":4');
    const ignored = page.locator('tr', { hasText: 'lineNo' });
    expect(await ignored.locator('.state').textContent()).toBe('ignored');
    await expectAccessible(page);
  });
});

describe('the page', () => {
  it('shows names and notes as text, whatever is in them', async () => {
    await plantAtWork();
    await open('/machine/RF-03');
    await expect.poll(headline).toBe(`${XSS} may run`);
    expect(await page.title()).not.toBe('broken in');
  });

  it('says since when the gateway is away, shows what is old as old, and goes on where one was', async () => {
    await plantAtWork();
    await open('/stops');
    await expect.poll(headline).toBe('1 stop waits for a reason');
    await program.kill();
    await page.getByText('No connection to the gateway since').waitFor();
    await page
      .getByRole('link', { name: /^Andon/ })
      .first()
      .click();
    await expect.poll(() => page.locator('.tile.old').count()).toBe(3);
    expect(await page.locator('.tile-worst').count()).toBe(0);
    await shoot(page, 'andon-cut');
    await page
      .getByRole('link', { name: /^Stops/ })
      .first()
      .click();
    const file = path.join(program.dir, 'plantgate.yaml');
    const settings = readFileSync(file, 'utf8').replace('port: 0', `port: ${program.httpPort}`);
    writeFileSync(file, settings);
    program = await Program.start({ dir: program.dir });
    await page.getByLabel('Name').fill('pat');
    await page.getByLabel('Password').fill('rolls and coils');
    await page.keyboard.press('Enter');
    await expect.poll(headline).toBe('1 stop waits for a reason');
    expect(await page.getByText('No connection to the gateway since').count()).toBe(0);
    faults = faults.filter((fault) => !fault.includes('ERR_'));
  });

  it('refuses a wrong password in words, and keeps the name', async () => {
    page = await browser.newPage();
    faults = watchFaults(page, origin);
    await page.goto(origin);
    await page.getByLabel('Name').fill('pat');
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('No person has this name and this password.').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('pat');
    await expectAccessible(page);
    await shoot(page, 'sign-in-refused');
  });

  it.each([
    ['320', 320, 640, 'en-US', 'light'],
    ['390-dark', 390, 844, 'en-US', 'dark'],
    ['1280-de', 1280, 800, 'de-DE', 'light'],
    ['1280-de-dark', 1280, 800, 'de-DE', 'dark'],
    ['4k', 3840, 2160, 'en-US', 'light'],
  ] as const)('fits a screen of %s', async (name, width, height, locale, colorScheme) => {
    await plantAtWork();
    await open('/', { viewport: { width, height }, locale, colorScheme });
    for (const place of ['/', '/stops', '/machine/RF-01', '/machine/RF-02/part']) {
      await page.goto(`${origin}${place}`);
      await page.locator('h1').waitFor();
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await expectAccessible(page);
      await shoot(page, `${place.split('/').filter(Boolean).join('-') || 'andon'}-${name}`);
    }
  });
});
