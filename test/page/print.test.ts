import { expect, it } from 'vitest';
import { shoot } from './browser.ts';
import { usePage } from './page-under-test.ts';

const gate = usePage('leave');
/** A sheet within its margins. */
const A4 = { width: 718, height: 1_047 };

it.each(['light', 'dark'] as const)(
  'F14: a machine is printed black on white, without what can be pressed (%s)',
  async (colorScheme) => {
    await gate.plantAtWork();
    const page = await gate.open('/machine/RF-01', { colorScheme });
    await page.locator('.tl > i').first().waitFor();
    await page.emulateMedia({ media: 'print', colorScheme });
    const shown = await page.evaluate<readonly string[]>(
      `[...document.querySelectorAll('.skip, .rail, .dock, .btn, .tabs, [aria-labelledby=plc]')].filter((one) => one.checkVisibility()).map((one) => one.outerHTML)`,
    );
    expect(shown).toEqual([]);
    expect(await page.locator('h1').isVisible()).toBe(true);
    // A browser may print no backgrounds: each mark has an outline, and no text is white.
    expect(
      await page.evaluate(`[...document.querySelectorAll('.tl > i, .share i, .bars i i, .legend i')]
    .filter((mark) => getComputedStyle(mark).outlineColor !== 'rgb(0, 0, 0)' || getComputedStyle(mark).outlineStyle !== 'solid').length`),
    ).toBe(0);
    const colors = await page.evaluate<readonly string[]>(
      `[...new Set([...document.querySelectorAll('.rung-fail, .rung-fail *, h1, h2, td, dd, p')].map((one) => getComputedStyle(one).color))]`,
    );
    for (const color of colors) expect(Math.max(...[...color.matchAll(/\d+/g)].map(Number))).toBeLessThan(80);
    // All hours have room on the sheet.
    expect(
      await page.evaluate(
        "document.querySelector('.bars li:last-child').getBoundingClientRect().right <= document.querySelector('.bars').getBoundingClientRect().right + 1",
      ),
    ).toBe(true);
  },
);

it('F14: the labels of a machine and of its place for coils tell which is which', async () => {
  const page = await gate.open('/admin?tab=labels');
  await expect
    .poll(() => page.locator('.label-card', { hasText: 'Ridge line 1' }).locator('p').allInnerTexts())
    .toEqual(['Ridge line 1\nMachine RF-01', 'Ridge line 1\nLocation RF-01']);
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('.label-card').count()).toBe(7);
  for (const hidden of ['.skip', '.top .btn', '.tabs', '.find'])
    expect(await page.locator(hidden).first().isVisible()).toBe(false);
});

it.each(['light', 'dark'] as const)(
  'Events are printed on A4 as a table with whole texts and dates (%s)',
  async (colorScheme) => {
    const partName = `${'A long name of a part '.repeat(8)}to its end`;
    await gate.program.api('PUT', '/plant/parts/P-900', { partId: 'P-900', partName: `Before, ${partName}` });
    await gate.program.api('PUT', '/plant/parts/P-900', { partId: 'P-900', partName });
    for (let turn = 0; turn < 40; turn++) await gate.program.api('PUT', '/machines/RF-01/part', { partId: 'P-100' });
    const page = await gate.open('/events', { colorScheme, viewport: A4 });
    await page.locator('tbody tr').nth(40).waitFor();
    await page.emulateMedia({ media: 'print', colorScheme });
    await shoot(page, `events-on-paper-${colorScheme}`);
    const visible = (selector: string) =>
      page.evaluate(`[...document.querySelectorAll('${selector}')].filter((one) => one.checkVisibility()).length`);
    expect(await visible('.btn, .find, .rail, .dock, input')).toBe(0);
    expect(await page.evaluate("getComputedStyle(document.querySelector('thead')).display")).toBe('table-header-group');
    const entry = page.locator('tbody tr', { hasText: 'P-900' }).first();
    const texts = await entry.locator('td').allInnerTexts();
    expect(texts).toEqual([
      expect.stringMatching(/^[A-Z][a-z]{2} \d{1,2}, \d{4}, \d\d:\d\d$/),
      expect.stringContaining('local'),
      expect.stringContaining('P-900'),
      expect.stringContaining('Before, '),
      expect.stringMatching(/to its end$/),
    ]);
    expect(texts.join()).not.toContain('…');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(A4.width);
    const colors = `[...new Set([...document.querySelectorAll('h1, th, td, td *')].map((one) => getComputedStyle(one).color))]`;
    for (const color of await page.evaluate<readonly string[]>(colors))
      expect(Math.max(...[...color.matchAll(/\d+/g)].map(Number))).toBeLessThan(80);
  },
);
