import { expect, it } from 'vitest';
import { expectAccessible, shoot } from './browser.ts';
import { usePage } from './page-under-test.ts';
import { PLACES } from './places.ts';

const gate = usePage('leave', {}, (gate) => gate.plantAtWork());

/** The greys of the page have a green tone; red, amber and blue are much further from grey. */
const GREY = 24;

const SCREENS = [
  ['1280', 1280, 800, 'light'],
  ['390-dark', 390, 844, 'dark'],
] as const;

/** A script for the page: gives the elements in sight that have a colour. */
const COLOURED = `(() => {
  const dot = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
  const isColoured = (color) => {
    dot.clearRect(0, 0, 1, 1);
    dot.fillStyle = color;
    dot.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = dot.getImageData(0, 0, 1, 1).data;
    return alpha > 0 && Math.max(red, green, blue) - Math.min(red, green, blue) > ${GREY};
  };
  return [...document.querySelectorAll('.app *')]
    .filter((element) => element.checkVisibility())
    .filter((element) => {
      const { color, backgroundColor, borderTopColor, borderTopWidth } = getComputedStyle(element);
      return isColoured(color) || isColoured(backgroundColor) || (borderTopWidth !== '0px' && isColoured(borderTopColor));
    })
    .map((element) => element.outerHTML.slice(0, 120));
})()`;

it('F8: without the gateway every place loses its colour, and says so wherever it is scrolled to', async () => {
  const page = await gate.open('/machine/RF-01', { viewport: { width: 1280, height: 800 }, as: 'admin' });
  await gate.expectHeadline('Ridge line 1 may not run');
  await page.locator('.rung-fail').waitFor();
  expect(await page.evaluate(COLOURED)).not.toEqual([]);
  await gate.program.kill();
  const banner = page.getByText('No connection to the gateway since');
  await banner.waitFor();
  await page
    .getByText(/^as of \d\d:\d\d$/)
    .first()
    .waitFor();
  for (const [name, width, height, colorScheme] of SCREENS) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    for (const place of ['/machine/RF-01', ...PLACES]) {
      await gate.follow(place);
      await page.locator('.stage h1, .set-up h1').waitFor();
      expect([place, await page.evaluate(COLOURED)]).toEqual([place, []]);
      if (place === '/set-up') continue;
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      const { y = -1 } = (await banner.boundingBox()) ?? {};
      expect([place, y >= 0 && y < height / 2]).toEqual([place, true]);
    }
    await gate.follow('/machine/RF-01');
    await expectAccessible(page);
    await shoot(page, `machine-cut-${name}`);
  }
  gate.forgive('ERR_');
});
