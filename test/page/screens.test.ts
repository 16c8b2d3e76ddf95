import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { expectAccessible, shoot } from './browser.ts';
import { Calls } from './calls.ts';
import { usePage } from './page-under-test.ts';
import { PLACES } from './places.ts';

const gate = usePage('leave', {}, (gate) => gate.plantAtWork());

/** The code that a central server alone needs: the place Plants, and the parts for several plants. */
const CENTRAL = /^(plants-place|plant-parts)-/;

it('D-104 a page of a gateway is under 160 kB compressed, and what a central server alone needs under 30 kB more', () => {
  const dir = path.resolve(import.meta.dirname, '../../dist/page');
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.gz'));
  const isCentral = (file: string) => CENTRAL.test(path.basename(file));
  const bytes = (some: readonly string[]) => some.reduce((sum, file) => sum + statSync(path.join(dir, file)).size, 0);
  const [central, own] = [files.filter(isCentral), files.filter((file) => !isCentral(file))];
  expect(bytes(own)).toBeGreaterThan(0);
  expect(bytes(own)).toBeLessThan(160_000);
  expect(central).toHaveLength(2);
  expect(bytes(central)).toBeLessThan(30_000);
});

/** The screens on which axe examines every place, and finds nothing. */
const AXED: readonly string[] = ['390-dark', '1280'];

it.each([
  ['320', 320, 640, 'en-US', 'light'],
  ['390-dark', 390, 844, 'en-US', 'dark'],
  ['1280', 1280, 800, 'en-US', 'light'],
  ['1280-de-dark', 1280, 800, 'de-DE', 'dark'],
  ['4k', 3840, 2160, 'en-US', 'light'],
] as const)(
  'every place fits a screen of %s, and axe finds nothing in either colour scheme',
  async (name, width, height, locale, colorScheme) => {
    const page = await gate.open('/', { viewport: { width, height }, locale, colorScheme, as: 'admin' });
    const calls = new Calls(page);
    for (const place of PLACES) {
      await gate.follow(place);
      await page.locator('.stage h1, .set-up h1').waitFor();
      await calls.expectQuiet();
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      // Once for each colour scheme, on a small and on a large screen.
      if (AXED.includes(name)) await expectAccessible(page);
      await shoot(page, `${place.split(/[/?=]/).filter(Boolean).join('-') || 'andon'}-${name}`);
    }
  },
  120_000,
);
