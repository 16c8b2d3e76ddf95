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
  gate = await PageUnderTest.start({ settings: 'legacyAgent: { kind: simulated }\n' });
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

it('Firefox: a person signs in, and Andon shows the machines live', async () => {
  await page.goto(`${gate.origin}/sign-in`);
  await page.locator('input[name=name]').fill('pat');
  await page.locator('input[type=password]').fill('rolls and coils');
  const signInForm = await headline();
  await page.keyboard.press('Enter');
  await expect.poll(headline).not.toBe(signInForm);
  await page.goto(gate.origin);
  const before = await headline();
  for (const machineId of ['RF-01', 'RF-02'])
    for (const running of [true, false]) await gate.say(machineId, { partId: 'P-100', running });
  await expect.poll(headline).not.toBe(before);
});

it('Firefox: a stop gets its reason by one tap, which can be undone', async () => {
  for (const running of [true, false]) await gate.say('RF-04', { partId: 'P-100', running });
  await page.goto(`${gate.origin}/stops`);
  await shows('Drive fault');
  const before = await headline();
  // The reasons rest for a moment after they moved.
  await page.locator('.reason:not([aria-disabled=true]) ::-p-text(Drive fault)').click();
  await expect.poll(headline).not.toBe(before);
  await press('Undo');
  await expect.poll(headline).toBe(before);
});

it('Firefox: a driver takes a task, and a scanner reads the coil', async () => {
  await page.goto(`${gate.origin}/tasks`);
  await press('Take T-1011');
  await expect.poll(headline).toBe('T-1011 to RF-01');
  // A scanner types faster than a person.
  await page.keyboard.type('C-70009', { delay: 5 });
  await page.keyboard.press('Enter');
  await page.locator('::-p-aria(Arrived at RF-01)').wait();
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
