import { type Browser, launch, type Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findFirefox } from '../this-computer.ts';
import { PageUnderTest } from './page-under-test.ts';

const WIDE = { width: 1280, height: 800 };

let gate: PageUnderTest;
let browser: Browser;
let page: Page;
const faults: string[] = [];

beforeAll(async () => {
  // No machine falls silent meanwhile: that would change the headlines as well.
  const settings = 'legacyAgent: { kind: simulated }\ndevices: { timeoutSeconds: 3600 }\n';
  gate = await PageUnderTest.start({ settings });
  await gate.plantAtWork();
  browser = await launch({ browser: 'firefox', executablePath: findFirefox() ?? '', headless: true });
  page = await browser.newPage();
  await page.setViewport(WIDE);
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    // Nobody is signed in yet.
    if (message.type() === 'error' && !message.text().includes('401')) faults.push(message.text());
  });
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await gate?.program.end();
  expect(faults).toEqual([]);
});

const press = (name: string) => page.locator(`::-p-aria(${name})`).click();
const shows = (text: string) => page.locator(`::-p-text(${text})`).wait();
const headline = () => page.$eval('h1', (element) => element.textContent);
/** The text of Andon's tile of a machine. */
const tile = async (name: string) => {
  const texts = await page.$$eval('.tile', (tiles) => tiles.map(({ textContent }) => textContent));
  return texts.find((text) => text?.includes(name));
};
/** A machine runs and stops. */
const makeStop = async (machineId: string) => {
  for (const running of [true, false]) await gate.say(machineId, { partId: 'P-100', running });
};

it('Firefox: a person signs in, and Andon shows the machines live', async () => {
  await page.goto(`${gate.origin}/sign-in`);
  await page.locator('input[name=name]').fill('pat');
  await page.locator('input[type=password]').fill('rolls and coils');
  const signInForm = await headline();
  await page.keyboard.press('Enter');
  await expect.poll(headline).not.toBe(signInForm);
  await page.goto(gate.origin);
  await expect.poll(() => tile('Panel line 1')).toContain('Nobody has chosen what it makes next');
  await makeStop('RF-02');
  await expect.poll(() => tile('Panel line 1')).toContain('Nobody has said why it stopped');
});

it('Firefox: a stop gets its reason by one tap, which can be undone', async () => {
  await makeStop('RF-04');
  await page.goto(`${gate.origin}/stops`);
  await shows('Drive fault');
  // RF-01 and RF-02 wait for their reasons as well.
  await expect.poll(headline).toBe('3 stops wait for a reason');
  // The reasons rest for a moment after they moved.
  await page.locator('.reason:not([aria-disabled=true]) ::-p-text(Drive fault)').click();
  await expect.poll(headline).toBe('2 stops wait for a reason');
  await press('Undo');
  await expect.poll(headline).toBe('3 stops wait for a reason');
});

it('Firefox: a driver takes a task, and a scanner reads the coil', async () => {
  await page.goto(`${gate.origin}/tasks`);
  await press('Take T-1011');
  await expect.poll(headline).toBe('T-1011 to RF-01');
  // A scanner types faster than a person, and a busy computer now and then does not: then the driver scans again.
  const scan = async () => {
    await page.keyboard.type('C-70009', { delay: 5 });
    await page.keyboard.press('Enter');
    return page.locator('::-p-aria(Arrived at RF-01)').setTimeout(5_000).wait();
  };
  await scan().catch(scan);
});

it.each([
  ['/machine/RF-01', '#production'],
  ['/production', '.made-table'],
  ['/production?view=timelines', '.stage svg, .tl'],
  ['/production?view=report', '.sheet-a4'],
  ['/coils', '.found .opt'],
  ['/orders', '.pick .opt'],
  ['/profiles', '.shape'],
  ['/sync', '.pane'],
  ['/events', '.pane'],
  ['/alerts', '.viewrow'],
])('Firefox: %s is drawn, and fits', async (place, part) => {
  await page.goto(`${gate.origin}${place}`);
  await page.locator(part).wait();
  const wide = await page.evaluate('document.documentElement.scrollWidth');
  expect(wide).toBeLessThanOrEqual(WIDE.width);
});
