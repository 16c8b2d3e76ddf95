import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from './browser.ts';
import { drawn, HeldAnswers } from './held-answers.ts';
import { PageUnderTest, PLANT } from './page-under-test.ts';

let browser: Browser;
let gate: PageUnderTest;

/** One gateway for all tests: each takes back what another would see. */
beforeAll(async () => {
  browser = await openBrowser();
  const users = [...PLANT.users, { name: 'kim', role: 'admin', password: 'rolls and coils' }];
  const plant = JSON.stringify({ ...PLANT, users });
  gate = await PageUnderTest.start(browser, { plant, settings: 'legacyAgent: { kind: simulated }\n' });
});
afterEach(() => gate.rest());
afterAll(async () => {
  await gate.end();
  await browser.close();
});

async function stop(...machineIds: readonly string[]): Promise<void> {
  for (const machineId of machineIds)
    for (const running of [true, false]) await gate.say(machineId, { partId: 'P-100', running });
}

async function reasonsOf(machineId: string): Promise<unknown> {
  const { body } = await gate.program.api('GET', `/machines/${machineId}/downtimes`);
  return (body as readonly { readonly reasonId: unknown }[]).map(({ reasonId }) => reasonId);
}

describe('a hurried hand', () => {
  it('DT-02 that presses a reason twice gives it to one stop, not to the next as well', async () => {
    await stop('RF-01', 'RF-04');
    await gate.openAgain('/stops');
    const { page } = gate;
    await gate.expectHeadline('2 stops wait for a reason');
    await page.locator('.reason', { hasText: 'Drive fault' }).dblclick({ delay: 30 });
    await gate.expectHeadline('1 stop waits for a reason');
    await drawn(page);
    expect([await reasonsOf('RF-01'), await reasonsOf('RF-04')]).toEqual([['DT-03'], [null]]);
    await page.locator('.reason', { hasText: 'Drive fault' }).click();
    await gate.expectHeadline('Every stop has its reason');
  });

  it('DT-02 that presses in the moment in which the usual reasons move to the front gives none', async () => {
    await stop('RF-01');
    await gate.openAgain('/more');
    const { page } = gate;
    const answers = await HeldAnswers.of(page, '**/machines/RF-01/reasonCounts');
    await gate.follow('/stops');
    const first = page.locator('.reason').first();
    await expect.poll(() => first.textContent()).toBe('Coil change');
    await expect.poll(() => first.isEnabled()).toBe(true);
    await answers.letGo(page);
    await expect.poll(() => first.textContent()).toContain('Drive fault');
    expect(await first.getAttribute('aria-disabled')).toBe('true');
    await first.click();
    await gate.expectHeadline('Every stop has its reason');
  });
});
