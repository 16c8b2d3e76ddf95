import { describe, expect, it } from 'vitest';
import { stop } from './acts.ts';
import { expectAccessible, shoot } from './browser.ts';
import { PLANT, usePage } from './page-under-test.ts';

const LONG_PART = `${'Purlin with a very long name and '.repeat(2)}${'x'.repeat(30)}`;
const parts = [...PLANT.parts, { partId: 'P-900', partName: LONG_PART }];
const gate = usePage('leave', { plant: JSON.stringify({ ...PLANT, parts }) }, (gate) => gate.plantAtWork());

const focused = () => gate.page.evaluate('document.activeElement.textContent');

describe('F22: Undo', () => {
  it('is one Tab away after the act, and stays while it has the focus or the pointer', async () => {
    await stop(gate, 'RF-01');
    const page = await gate.open('/stops');
    const reason = page.locator('button.reason', { hasText: 'Drive fault' });
    await reason.waitFor();
    await expect.poll(() => reason.getAttribute('aria-disabled')).toBe('false');
    await page.clock.install();
    await reason.focus();
    await page.keyboard.press('Enter');
    const undo = page.getByRole('button', { name: 'Undo' });
    await undo.waitFor();
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Undo');
    await page.clock.runFor(30_000);
    expect(await undo.count()).toBe(1);
    await page.keyboard.press('Shift+Tab');
    await page.clock.runFor(5_000);
    await undo.hover();
    await page.clock.runFor(30_000);
    expect(await undo.count()).toBe(1);
    await page.mouse.move(5, 5);
    await page.clock.runFor(9_000);
    expect(await undo.count()).toBe(1);
    await page.clock.runFor(2_000);
    await expect.poll(() => undo.count()).toBe(0);
  });
});

it('F22: after each change of place the focus is at its heading', async () => {
  const page = await gate.open('/');
  await page.locator('h1').waitFor();
  expect(await page.evaluate('document.activeElement === document.body')).toBe(true);
  for (const place of ['Tasks', 'Coils', 'Stops', 'Profiles']) {
    await page
      .getByRole('link', { name: new RegExp(`^${place}`) })
      .first()
      .focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/${place.toLowerCase()}`);
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
    await expectAccessible(page);
  }
  await page.goBack();
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
  await gate.expectHeadline((await focused()) as string);
});

it.each([
  ['1280', { width: 1280, height: 800 }],
  ['390', { width: 390, height: 844 }],
])('F23: a long name of a part leaves the words of the rules whole (%s px)', async (name, viewport) => {
  await gate.say('RF-04', { partId: 'P-900', running: true });
  const page = await gate.open('/machine/RF-04', { viewport });
  await page.locator('.rung').first().waitFor();
  const heights = await page.evaluate<readonly number[]>(
    "[...document.querySelectorAll('.rung')].map((rung) => rung.getBoundingClientRect().height)",
  );
  expect(Math.max(...heights)).toBeLessThan(90);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
  await shoot(page, `machine-long-part-${name}`);
});
