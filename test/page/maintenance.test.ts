import { beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, shoot } from './browser.ts';
import { PageUnderTest } from './page-under-test.ts';
import { beginWithHistory } from './plant-with-history.ts';

const MACHINES = 2;
const LOG = '/production?view=log&period=90d';

const gate = new PageUnderTest();
beforeAll(async () => {
  await beginWithHistory(gate, MACHINES);
  return async () => {
    await gate.leave();
    await gate.program.stop();
  };
});

const lines = () => gate.page.locator('.log tbody > tr:not(:has(.line-history))');

describe('F19 D-86: the log of stops and faults', () => {
  it('has 90 days; its filter stands in the address, and a search finds what was done', async () => {
    const page = await gate.open('/production');
    await page.getByRole('link', { name: 'Log' }).click();
    await page.getByRole('button', { name: '90 days' }).click();
    await expect.poll(() => gate.headline()).toMatch(/^\d+ stops and faults, \d+ h/);
    await page.getByRole('button', { name: 'Breakdowns' }).click();
    await page.getByLabel('Search notes, people, machines').fill('filter changed');
    await expect.poll(() => lines().count()).toBeGreaterThan(0);
    await expect
      .poll(async () => (await lines().allTextContents()).every((text) => text.includes('filter changed')))
      .toBe(true);
    expect(page.url()).toContain('period=90d&by=breakdowns&find=filter+changed');
    await page.getByRole('button', { name: 'Faults', exact: true }).click();
    await page.reload();
    await expect.poll(() => lines().count()).toBeGreaterThan(0);
    expect(await page.getByRole('button', { name: 'Faults', exact: true }).getAttribute('aria-pressed')).toBe('true');
  });

  it('goes on to the last line', async () => {
    const page = await gate.open('/production?view=log&period=90d&machines=RF-01&by=DT-21');
    await expect.poll(() => lines().count()).toBeGreaterThan(10);
    await gate.follow('/production?view=log&period=90d&machines=RF-01');
    await page.getByRole('button', { name: /^More: 50 of/ }).click();
    await expect.poll(() => lines().count()).toBe(250);
  });

  it('a line says whether the same has come before, how often, for how long, and what was done', async () => {
    const page = await gate.open(`${LOG}&by=DT-21`);
    const machine = await lines().first().locator('td').nth(1).textContent();
    await page.getByRole('button', { name: 'Hydraulics' }).first().click();
    const history = page.locator('.line-history');
    await history.getByText(/^In 90 days: \d+ times, \d+ h/).waitFor();
    expect(await history.locator('.hit-list li').count()).toBe(5);
    await history.getByRole('link', { name: 'All in the log' }).click();
    await expect
      .poll(async () => new Set(await lines().locator('td:nth-child(2)').allTextContents()))
      .toEqual(new Set([machine]));
    expect(page.url()).toMatch(/machines=RF-0\d&by=DT-21/);
  });

  it('a reason of Reliability leads to its lines', async () => {
    const page = await gate.open('/production?view=reliability&period=31d');
    await page.getByRole('link', { name: 'Hydraulics' }).click();
    await expect.poll(() => lines().count()).toBeGreaterThan(10);
    expect(new Set(await lines().locator('th').allTextContents())).toEqual(new Set(['Hydraulics']));
  });

  it('a stop of any day is corrected there, and its line follows', async () => {
    const page = await gate.open(`${LOG}&by=DT-21`);
    const line = lines().nth(3);
    await line.getByRole('button', { name: 'Correct' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Drive fault' }).click();
    await expect.poll(() => line.textContent()).toContain('Drive fault');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => line.textContent()).toContain('Hydraulics');
  });

  it('a line leads to the variables of its time', async () => {
    const page = await gate.open(`${LOG}&by=DT-21`);
    await page.getByRole('button', { name: 'Hydraulics' }).last().click();
    await page.getByRole('link', { name: 'Variables of this time' }).click();
    await page.locator('.wave-plot').first().waitFor();
    expect(page.url()).toMatch(/\/machine\/RF-0\d\/variables\?to=/);
  });

  it('a fault at the machine says what it means, and what it was the last times', async () => {
    const page = await gate.open('/machine/RF-01');
    await page.getByRole('link', { name: 'All stops and faults' }).click();
    await expect.poll(() => lines().count()).toBe(50);
    expect(page.url()).toContain('machines=RF-01');
    await gate.say('RF-01', { running: false, fault: true });
    await gate.follow('/machine/RF-01');
    await page.getByText('The controller reports it, and its display says which.').waitFor();
    await page.getByText(/^In 90 days: \d+ times/).waitFor();
    // The newest ones may have no reason yet.
    expect(await page.locator('.hit-list').textContent()).toMatch(/Drive fault|Hydraulics|Controller restart/);
  });
});

describe('F13 D-87: the variables of a machine', () => {
  const values = () => gate.page.locator('section[aria-label=Curves] > p').textContent();

  it('several curves, each with its own axis, over 8 hours to 90 days; the choice stands in the address', async () => {
    const page = await gate.open('/machine/RF-01');
    await page.getByRole('link', { name: 'Compare curves' }).click();
    const curves = page.locator('.wave-axis');
    await expect.poll(() => curves.count()).toBe(3);
    await page.getByRole('button', { name: 'Line speed' }).click();
    await page.getByRole('button', { name: '30 days' }).click();
    await expect.poll(() => curves.count()).toBe(2);
    expect(page.url()).toContain('name=motorTemp&name=hydraulicPressure&period=30d');
    expect(new Set(await curves.allTextContents()).size).toBe(2);
    // Stops of the time are bands behind each curve.
    expect(await page.locator('.wave-plot').first().locator('rect').count()).toBeGreaterThan(20);
    await page.getByRole('button', { name: 'Earlier' }).click();
    await expect.poll(() => page.url()).toContain('&to=');
    await page.getByRole('button', { name: 'Later' }).click();
    await expect.poll(() => page.url()).not.toContain('&to=');
  });

  it('the cursor follows the keys, the mouse and a finger, and its values stand in the sentence above', async () => {
    const page = await gate.open('/machine/RF-01/variables');
    await page.locator('.wave-plot').first().waitFor();
    const atEnd = await values();
    expect(atEnd).toMatch(/^At \d\d:\d\d: Line speed [\d.]+ ft\/min, Motor temperature/);
    await page.getByLabel('Time of the cursor').focus();
    for (let presses = 0; presses < 20; presses += 1) await page.keyboard.press('ArrowLeft');
    const byKey = await values();
    expect(byKey).not.toBe(atEnd);
    expect(await page.getByLabel('Time of the cursor').getAttribute('aria-valuetext')).toContain('Line speed');
    const box = await page.locator('.wave-plot').nth(1).boundingBox();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + 20);
    await expect.poll(values).not.toBe(byKey);
    const byMouse = await values();
    await page
      .locator('.wave-plot')
      .first()
      .dispatchEvent('pointerdown', { pointerType: 'touch', clientX: (box?.x ?? 0) + 10 });
    await expect.poll(values).not.toBe(byMouse);
    // A reader gets the same as a table.
    expect(await page.locator('section[aria-label=Curves] table tbody tr').count()).toBe(24);
  });

  it('limits of alerts are lines, the headline says what was beyond them last, and the axis holds them or a typed range', async () => {
    const headers = { authorization: 'ApiKey shop-key-01234567890' };
    const rule = {
      ...{ kind: 'variable', isOn: false, limit: 5, machineIds: ['RF-01'], areas: [], shifts: [], isPlanOnly: true },
      ...{ variable: { name: 'hydraulicPressure', low: 1_500, high: 3_000 }, steps: [] },
    };
    const page = await gate.open('/machine/RF-01/variables?name=hydraulicPressure&period=7d');
    const answer = await page.request.post(`${gate.origin}/api/local/alerts/rules`, { headers, data: rule });
    expect(answer.status()).toBeLessThan(300);
    await page.reload();
    await page.getByText('limit 1,500', { exact: true }).waitFor();
    await expect.poll(() => gate.headline()).toMatch(/^Hydraulic pressure was beyond its limit at /);
    expect(await page.getByText('limit 3,000').count()).toBe(0);
    await page.getByLabel('Scale').selectOption({ label: 'Scale: with limits' });
    await page.getByText('limit 3,000').waitFor();
    await page.getByLabel('Scale').selectOption({ label: 'Scale: typed' });
    await page.getByLabel('Hydraulic pressure, least').fill('0');
    await page.getByLabel('Hydraulic pressure, greatest').fill('5000');
    await page.keyboard.press('Tab');
    await expect.poll(() => page.locator('.wave-axis').textContent()).toBe('5,0002,5000');
    expect(page.url()).toContain('axis=hydraulicPressure');
  });

  it('the band of a curve at the machine is grey behind its line', async () => {
    const page = await gate.open('/machine/RF-01');
    await page.locator('.curve .env').first().waitFor({ state: 'attached' });
    const fills = await page.evaluate<string[]>(
      "['.env', '.line'].map((part) => getComputedStyle(document.querySelector('.curve ' + part)).fill)",
    );
    expect(fills[0]).not.toBe('rgb(0, 0, 0)');
    expect(fills[1]).toBe('none');
  });

  it.each([
    ['light', 1280, 'en-US'],
    ['dark', 1920, 'de-DE'],
    ['light', 390, 'de-DE'],
  ] as const)('are accessible and fit, %s, %i px, %s', async (colorScheme, width, locale) => {
    const page = await gate.open('/machine/RF-01/variables?scale=typed', {
      colorScheme,
      viewport: { width, height: 800 },
      locale,
    });
    await page.locator('.wave-plot').first().waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    await shoot(page, `variables-${colorScheme}-${width}-${locale}`);
  });
});
