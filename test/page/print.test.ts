import { expect, it } from 'vitest';
import { usePage } from './page-under-test.ts';

const gate = usePage('leave');

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
