import { expect, it } from 'vitest';
import { expectAccessible } from './browser.ts';
import { usePage } from './page-under-test.ts';

const gate = usePage('leave');

it.each([390, 1_280])('F26: a person chooses the language before the sign-in (width %i)', async (width) => {
  const page = await gate.visit('/', { viewport: { width, height: 800 } });
  await gate.expectHeadline('Who is there?');
  await page.getByRole('button', { name: 'Deutsch' }).click();
  await gate.expectHeadline('Wer ist da?');
  await expectAccessible(page);
  await gate.signIn();
  await gate.expectHeadline('Keine Maschine braucht jemanden');
  expect(await page.evaluate('document.documentElement.lang')).toBe('de');
});
