import { afterAll, beforeAll, expect, it } from 'vitest';
import { shoot } from './browser.ts';
import { PageUnderTest, PLANT } from './page-under-test.ts';

/** Half a day from the browser's zone: an evening here is the next morning there. */
const PLANT_ZONE = 'America/Chicago';
const BROWSER = { timezoneId: 'Asia/Kolkata' };
const DUE = '2026-11-26T02:30:00Z';

let gate: PageUnderTest;
beforeAll(async () => {
  const [order, ...others] = PLANT.orders;
  const orders = [{ ...order, schedule: { requiredDateTime: DUE } }, ...others];
  const settings = `shifts: { timeZone: ${PLANT_ZONE} }\npage: { openAndon: true }\n`;
  gate = await PageUnderTest.start({ plant: JSON.stringify({ ...PLANT, orders }), settings });
});
afterAll(() => gate.end());

const timeThere = (at: number) =>
  new Intl.DateTimeFormat('en', { timeZone: PLANT_ZONE, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(
    at,
  );

it('times and days are those of the plant, in any time zone of the browser', async () => {
  await gate.open('/orders', { ...BROWSER, as: 'admin' });
  const { page } = gate;
  await expect.poll(() => page.locator('main').textContent()).toContain('Wed, Nov 25');
  expect([timeThere(Date.now() - 60_000), timeThere(Date.now())]).toContain(await page.locator('.now b').textContent());
  await shoot(page, 'time-zone');
});

it('an open Andon without a sign-in shows the time of the plant as well', async () => {
  await gate.visit('/?tv', BROWSER);
  const { page } = gate;
  await page.locator('.tv').waitFor();
  const shown = await page.locator('.tv').textContent();
  expect([timeThere(Date.now() - 60_000), timeThere(Date.now())].some((time) => shown?.includes(time))).toBe(true);
});
