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
async function typeCode(keys: readonly (readonly [key: string, pauseMs: number])[]): Promise<void> {
  await gate.page.evaluate(`(async () => {
    const init = { bubbles: true, cancelable: true };
    for (const [key, pauseMs] of ${JSON.stringify(keys)}) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, ...init }));
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
