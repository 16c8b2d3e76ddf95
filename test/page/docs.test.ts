import { expect, it } from 'vitest';
import { expectAccessible, shoot } from './browser.ts';
import { usePage } from './page-under-test.ts';

const gate = usePage('leave');

it.each(['light', 'dark'] as const)(
  'the search of the guide leaves the calls that have all words, %s',
  async (colorScheme) => {
    const page = await gate.visit('/docs', { colorScheme });
    const calls = page.locator('section:has(#calls) article:visible');
    const all = await calls.count();
    await page.getByLabel('Search').fill('unattainableCode  PAT');
    await expect.poll(() => calls.count()).toBe(1);
    await page.getByLabel('Search').fill('zzz no such word zzz');
    await page.getByText('Nothing found').waitFor();
    await page.getByLabel('Search').fill('');
    await expect.poll(() => calls.count()).toBe(all);
    await expectAccessible(page);
    await shoot(page, `docs-${colorScheme}`);
  },
);

it('the guide fits a telephone, and prints its text without the navigation', async () => {
  const page = await gate.visit('/docs', { viewport: { width: 390, height: 800 } });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByRole('navigation').isVisible()).toBe(false);
  expect(await page.locator('#three-ways').isVisible()).toBe(true);
});

it('a heading of the reference is a link to itself', async () => {
  const page = await gate.visit('/docs/reference');
  await page.getByRole('link', { name: 'GET /api/v1/coils', exact: true }).click();
  expect(new URL(page.url()).hash).toBe('#get_coils');
  await page.getByRole('link', { name: '{topicRoot}/status', exact: true }).click();
  expect(await page.evaluate('document.querySelector(location.hash).tagName')).toBe('ARTICLE');
});
