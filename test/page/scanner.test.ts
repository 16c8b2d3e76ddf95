import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { shoot } from './browser.ts';
import { PageUnderTest } from './page-under-test.ts';

let gate: PageUnderTest;

beforeAll(async () => {
  gate = await PageUnderTest.start({ settings: 'legacyAgent: { kind: simulated }\n' });
});
afterEach(() => gate.rest());
afterAll(() => gate.end());

/** Keys with these pauses before each, heard by the page itself, because CI may be slower than a scanner. */
async function typeCode(keys: readonly (readonly [key: string, pauseMs: number, more?: object])[]): Promise<void> {
  await gate.page.evaluate(`(async () => {
    const init = { bubbles: true, cancelable: true };
    for (const [key, pauseMs, more] of ${JSON.stringify(keys)}) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, ...init, ...more }));
    }
  })()`);
}

describe('a scanner', () => {
  it('that is too slow presses no button: the person is asked to scan again', async () => {
    await gate.openAgain('/tasks');
    const { page } = gate;
    await page.getByRole('button', { name: 'Take T-1005' }).focus();
    await page.keyboard.type('C-70009', { delay: 130 });
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'Scan it again. Nothing was done.' }).waitFor();
    await shoot(page, 'scan-again');
    const { body } = await gate.program.api('GET', '/plant/tasks/T-1005');
    expect(body).toMatchObject({ taskState: 'Ready' });
    expect(await gate.headline()).not.toContain('T-1005 to');
  });

  it('with a pause in its code opens nothing, not even the record with the id in the second piece', async () => {
    await gate.openAgain('/tasks');
    const { page } = gate;
    const before = page.url();
    const piece = (text: string, firstMs: number) =>
      [...text].map((key, place) => [key, place === 0 ? firstMs : 0] as const);
    await typeCode([...piece('X-', 0), ...piece('T-1005', 150), ['Enter', 0]]);
    await page.getByText('The code came in pieces or too slowly.').waitFor();
    expect(page.url()).toBe(before);
  });

  it.each([
    ['a dead key', [['Dead', 0]]],
    ['a key that the browser does not know', [['Unidentified', 0]]],
    ['Alt and digits', [...'064'].map((digit) => [digit, 0, { altKey: true }] as const)],
  ] as const)(
    'D-61 whose code has %s opens nothing, not even the record that the other keys name',
    async (_, unreadable) => {
      await gate.openAgain('/tasks');
      const { page } = gate;
      const before = page.url();
      const keys = [...'T-1005'].map((key) => [key, 0] as const);
      await typeCode([...keys.slice(0, 1), ...unreadable, ...keys.slice(1), ['Enter', 0]]);
      await page.getByText('The code came in pieces or too slowly.').waitFor();
      expect(page.url()).toBe(before);
    },
  );

  it.each([
    ['a character of AltGr', '@', { modifierAltGraph: true, ctrlKey: true, altKey: true }],
    ['a group separator, sent as Ctrl and ]', ']', { ctrlKey: true }],
  ])('D-61 keeps %s in its code, so that it does not open another record', async (_, key, more) => {
    await gate.openAgain('/tasks');
    const { page } = gate;
    const before = page.url();
    const keys = [...'T-1005'].map((one) => [one, 0] as const);
    await typeCode([...keys.slice(0, 1), [key, 0, more], ...keys.slice(1), ['Enter', 0]]);
    await page.getByRole('alert').filter({ hasText: '-1005' }).waitFor();
    expect(page.url()).toBe(before);
  });

  it('D-61 with caps lock on opens its record', async () => {
    await gate.openAgain('/coils');
    await typeCode([...[...'t-1005'].map((key) => [key, 0] as const), ['Enter', 0]]);
    await gate.page.waitForURL(/T-1005/);
  });

  it('replaces the content of a search field', async () => {
    await gate.openAgain('/coils');
    const { page } = gate;
    const field = page.getByRole('searchbox');
    await field.focus();
    for (const code of ['C-70009', 'C-70006']) {
      await page.evaluate(`{
        const field = document.activeElement;
        const init = { bubbles: true, cancelable: true };
        for (const key of ${JSON.stringify([...code])}) {
          field.dispatchEvent(new KeyboardEvent('keydown', { key, ...init }));
          field.value += key;
          field.dispatchEvent(new Event('input', { bubbles: true }));
        }
        field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ...init }));
      }`);
    }
    expect(await field.inputValue()).toBe('C-70006');
    await page.getByRole('link', { name: /C-70006/ }).waitFor();
  });
});
