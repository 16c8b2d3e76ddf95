import { describe, expect, it } from 'vitest';
import { expectAccessible, shoot } from './browser.ts';
import { Calls } from './calls.ts';
import { usePage } from './page-under-test.ts';
import { visitEveryPlace } from './places.ts';

const gate = usePage('leave');

describe('the oldest browser that docs/page.md names', () => {
  it('shows every place', async () => {
    await gate.plantAtWork();
    const page = await gate.open('/more', { as: 'admin' });
    await page.addInitScript(`
      for (const name of ['findLast', 'findLastIndex', 'toReversed', 'toSorted', 'toSpliced', 'with']) delete Array.prototype[name];
      delete Map.groupBy;
      delete Object.groupBy;
      delete Promise.withResolvers;`);
    await page.reload();
    await visitEveryPlace(gate, new Calls(page));
  });
});

describe('a browser that stores nothing', () => {
  it('shows the page, and another language and theme until it is loaded again', async () => {
    const page = await gate.open('/more');
    await page.addInitScript(`
      const deny = () => { throw new DOMException('denied', 'SecurityError'); };
      Object.defineProperty(window, 'localStorage', { get: deny });
      window.BroadcastChannel = class { constructor() { deny(); } };`);
    await page.reload();
    await gate.expectHeadline('More');
    await page.getByRole('button', { name: 'Deutsch' }).first().click();
    await page.getByRole('button', { name: 'Hell oder dunkel' }).first().click();
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await page.getByRole('button', { name: 'pat abmelden' }).click();
    await gate.expectHeadline('Wer ist da?');
  });

  it('names the missing cookies at sign-in, instead of asking for the password again and again', async () => {
    const page = await gate.visit('/');
    await page.route('**/api/local/session', async (route) => {
      const answer = await route.fetch();
      const { 'set-cookie': _, ...headers } = answer.headers();
      await page.context().clearCookies();
      await route.fulfill({ response: answer, headers });
    });
    await page.getByLabel('Name').fill('pat');
    await page.getByLabel('Password').fill('rolls and coils');
    await page.keyboard.press('Enter');
    await page.getByText('This browser keeps no cookies').waitFor();
    await gate.expectHeadline('Who is there?');
    await expectAccessible(page);
    await shoot(page, 'no-cookies');
  });
});
