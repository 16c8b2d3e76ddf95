import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBrowser } from './browser.ts';
import { PageUnderTest } from './page-under-test.ts';

let browser: Browser;
let gate: PageUnderTest;
beforeAll(async () => {
  browser = await openBrowser();
  gate = await PageUnderTest.start(browser, { environment: { PLANTGATE_PAGE_OPEN_ANDON: 'true' } });
});
afterAll(async () => {
  await gate.end();
  await browser.close();
});

it('page.openAndon: Andon is live without a sign-in, and an act asks who is there', async () => {
  await gate.visit('/');
  const { page } = gate;
  await gate.expectHeadline('No machine needs a person');
  await gate.plantAtWork();
  await expect.poll(() => gate.headline()).toContain('need a person');
  await page.getByRole('navigation').getByRole('link', { name: 'Sign in' }).first().click();
  await gate.expectHeadline('Who is there?');
  await gate.signIn();
  await page.getByRole('link', { name: 'Signed in as pat' }).first().click();
  await page.getByRole('button', { name: 'Sign out pat' }).click();
});
