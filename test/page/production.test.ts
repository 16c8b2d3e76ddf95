import { beforeAll, expect, it } from 'vitest';
import { expectAccessible, shoot } from './browser.ts';
import { PageUnderTest } from './page-under-test.ts';
import { beginWithHistory } from './plant-with-history.ts';

const MACHINES = 3;
const VIEWS = ['plant', 'timelines', 'downtime', 'shifts', 'parts', 'reliability', 'log', 'report'] as const;

const gate = new PageUnderTest();
beforeAll(async () => {
  await beginWithHistory(gate, MACHINES);
  return async () => {
    await gate.leave();
    await gate.program.stop();
  };
});

it('F3: what cost most this week is found in two taps', async () => {
  const page = await gate.open('/');
  await page.getByRole('link', { name: 'Production' }).click();
  await page.getByRole('button', { name: '7 days' }).click();
  await expect.poll(() => gate.headline()).toMatch(/^[\d,]+ good in 7 days, [\d,]+ (behind|ahead of) target$/);
  await page.getByText(/cost most: \d+ h/).waitFor();
  expect(page.url()).toContain('period=7d');
});

it('F3 F14: the report of the last shift is printed in three taps, on one sheet of A4', async () => {
  const page = await gate.open('/');
  await page.evaluate('window.print = () => { window.printed = (window.printed ?? 0) + 1; }');
  await page.getByRole('link', { name: 'Production' }).click();
  await page.getByRole('link', { name: 'Report' }).click();
  await page.locator('.sheet-a4').waitFor();
  await page.getByRole('button', { name: 'Print', exact: true }).click();
  expect(await page.evaluate('window.printed')).toBe(1);
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('.rail').isVisible()).toBe(false);
  // Bars print without backgrounds: they are SVG with fills.
  expect(await page.locator('.sheet-a4 svg.mix rect').count()).toBeGreaterThan(MACHINES);
  const height = await page.evaluate<number>("document.querySelector('.sheet-a4').offsetHeight");
  expect(height).toBeLessThan(((297 - 20) / 25.4) * 96);
});

it('F3: a machine says whether it reaches its target, and shows it hour by hour', async () => {
  const page = await gate.open('/machine/RF-01');
  await page.getByText(/^[\d,]+ of [\d,]+ by \d\d:00 at this pace\.$/).waitFor();
  await page.getByText(/pace\. [\d,]+ (behind|ahead)\./).waitFor();
  expect(await page.locator('.bars b').count()).toBeGreaterThan(10);
  await page.getByText('Hour by hour').click();
  await expectAccessible(page);
  await shoot(page, 'machine-target');
});

it('F3: a line of the Pareto chart opens its longest stops, of any day, and one is corrected there', async () => {
  const page = await gate.open('/production?view=downtime&period=31d');
  await page.getByRole('button', { name: /Hydraulics/ }).click();
  const stops = page.locator('.hit-list li');
  await expect.poll(() => stops.count()).toBe(3);
  await stops.first().getByRole('button', { name: 'Correct' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Drive fault' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => stops.count()).toBe(3);
});

it('F3: the choice goes along from view to view, stands in the address, and back leads to the view before', async () => {
  const page = await gate.open('/production');
  await page.getByLabel('Machines').selectOption({ label: 'Panel line 1' });
  await page.getByRole('button', { name: '31 days' }).click();
  await page.getByRole('link', { name: 'Downtime' }).click();
  await expect.poll(() => gate.headline()).toMatch(/^Stops cost/);
  expect(page.url()).toContain('machines=RF-01');
  await page.goBack();
  await expect.poll(() => gate.headline()).toMatch(/good in 31 days/);
  await page.getByLabel('Machines').selectOption({ label: 'Area: Hall A' });
  await expect.poll(() => page.locator('.made-table tbody tr').count()).toBe(MACHINES + 1);
});

it('F3: a cell of the shifts leads to the plant in that shift; a slider reads the trend', async () => {
  const page = await gate.open('/production?view=shifts');
  const slider = page.getByLabel('Scrap: day');
  await slider.focus();
  const before = await slider.getAttribute('aria-valuetext');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => slider.getAttribute('aria-valuetext')).not.toBe(before);
  await page.locator('.heat td a').first().click();
  await expect.poll(() => gate.headline()).toMatch(/good in this time/);
  expect(page.url()).toMatch(/period=\d{4}-\d\d-\d\d\.\.\d{4}-\d\d-\d\d&shift=Early/);
});

it.each([
  ['light', 1280, 'en-US'],
  ['dark', 1280, 'de-DE'],
  ['light', 390, 'en-US'],
] as const)(
  'F3: every view of production is accessible and fits, %s, %i px, %s',
  async (colorScheme, width, locale) => {
    const page = await gate.open('/production', { colorScheme, viewport: { width, height: 800 }, locale });
    for (const view of VIEWS) {
      await gate.follow(`/production?view=${view}&period=7d`);
      await page.locator('.made-table, .lanes, .pareto, .heat, .table, .sheet-a4').first().waitFor();
      await expectAccessible(page);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await shoot(page, `production-${view}-${colorScheme}-${width}-${locale}`);
    }
  },
);
