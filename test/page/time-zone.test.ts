import { afterEach, describe, expect, it } from 'vitest';
import { expectAccessible, shoot } from './browser.ts';
import { PageUnderTest, PLANT, usePage } from './page-under-test.ts';

/** Half a day from the browser's zone: an evening here is the next morning there. */
const PLANT_ZONE = 'America/Chicago';
const BROWSER = { timezoneId: 'Asia/Kolkata' };
const DUE = '2026-11-26T02:30:00Z';

const [order, ...others] = PLANT.orders;
const orders = [{ ...order, schedule: { requiredDateTime: DUE } }, ...others];
const settings = `shifts: { timeZone: ${PLANT_ZONE} }\npage: { openAndon: true }\n`;
const gate = usePage('leave', { plant: JSON.stringify({ ...PLANT, orders }), settings });

const zoneOf = ({ page }: PageUnderTest) => page.getByLabel('Time zone').inputValue();

const timeThere = (at: number) =>
  new Intl.DateTimeFormat('en', { timeZone: PLANT_ZONE, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(
    at,
  );

it('times and days are those of the plant, in any time zone of the browser', async () => {
  const page = await gate.open('/orders', { ...BROWSER, as: 'admin' });
  await expect.poll(() => page.locator('main').textContent()).toContain('Wed, Nov 25');
  expect([timeThere(Date.now() - 60_000), timeThere(Date.now())]).toContain(await page.locator('.now b').textContent());
  await shoot(page, 'time-zone');
});

it('an open Andon without a sign-in shows the time of the plant as well', async () => {
  const page = await gate.visit('/?tv', BROWSER);
  await page.locator('.tv').waitFor();
  const shown = await page.locator('.tv').textContent();
  expect([timeThere(Date.now() - 60_000), timeThere(Date.now())].some((time) => shown?.includes(time))).toBe(true);
});

describe('the zone of the browser', () => {
  afterEach(() => other.end());
  let other: PageUnderTest;

  it('is suggested while nobody has chosen one, kept with the set-up, and never overwrites the chosen one', async () => {
    other = await PageUnderTest.start({ environment: { ...process.env, TZ: 'UTC' } });
    const page = await other.open('/more', { as: 'admin', timezoneId: 'Europe/Vienna' });
    await other.follow('/set-up');
    await page.getByText('your browser’s is suggested. The gateway runs in UTC.').waitFor();
    expect(await zoneOf(other)).toBe('Europe/Vienna');
    await expectAccessible(page);
    await shoot(page, 'suggested-zone');
    expect((await other.program.api('GET', '/settings')).body.timeZone).toBe('UTC');
    await page.getByRole('button', { name: 'Go on' }).click();
    await expect.poll(async () => (await other.program.api('GET', '/settings')).body.timeZone).toBe('Europe/Vienna');
    await other.open('/more', { as: 'admin', timezoneId: 'America/Chicago' });
    await other.follow('/set-up');
    await other.page.getByLabel('Time zone').waitFor();
    expect(await zoneOf(other)).toBe('Europe/Vienna');
    expect(await other.page.getByText('your browser’s is suggested').count()).toBe(0);
  });

  it('is not suggested where the file has one, or where the browser is in UTC', async () => {
    const settings = 'shifts: { timeZone: America/Denver }\n';
    other = await PageUnderTest.start({ settings });
    await other.open('/more', { as: 'admin', timezoneId: 'Europe/Vienna' });
    await other.follow('/set-up');
    await other.page.getByLabel('Time zone').waitFor();
    expect(await zoneOf(other)).toBe('America/Denver');
    await other.end();
    other = await PageUnderTest.start({ environment: { ...process.env, TZ: 'Europe/Vienna' } });
    await other.open('/more', { as: 'admin', timezoneId: 'UTC' });
    await other.follow('/set-up');
    await other.page.getByLabel('Time zone').waitFor();
    expect(await zoneOf(other)).toBe('Europe/Vienna');
  });
});
