import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RawClient } from '../adapters/broker/raw-client.ts';
import { expectAccessible, openBrowser, shoot } from './browser.ts';
import { PageUnderTest, PLANT } from './page-under-test.ts';

let browser: Browser;
let gate: PageUnderTest;

beforeAll(async () => {
  browser = await openBrowser();
  const [first, ...others] = PLANT.machines;
  const variableDetails = [{ name: 'lineSpeed', label: 'Line speed', unit: 'ft/min' }];
  const machines = [{ ...first, variables: ['lineSpeed'], variableDetails }, ...others];
  gate = await PageUnderTest.start(browser, { plant: JSON.stringify({ ...PLANT, machines }) });
});
afterAll(async () => {
  await gate.end();
  await browser.close();
});

it('DEV-14 VAR-02 a machine shows what it made, its overrides and its variables with units', async () => {
  await gate.say('RF-01', { partId: 'P-210', running: true, goodPart: 100 });
  await gate.say('RF-01', { partId: 'P-210', running: true, goodPart: 131, badPart: 2, override: true });
  await gate.program.device('vars', { machineId: 'RF-01', lineSpeed: 118.5 });
  await gate.open('/machine/RF-01');
  const { page } = gate;
  await page.getByText('31 good, 1 scrap').waitFor();
  await page.locator('.over-span').waitFor();
  const variable = page.locator('.curve');
  await expect.poll(() => variable.textContent()).toContain('Line speed118.5 ft/min');
  await page.getByRole('button', { name: '31 days' }).click();
  await expect.poll(() => page.locator('.bars li').count()).toBe(31);
  await expectAccessible(page);
  await shoot(page, 'machine-production');
});

it('D-36 mistakes are told at the place of the machine as they come, with their cure', async () => {
  await gate.open('/machine/RF-02');
  const { page, program } = gate;
  const client = await RawClient.connected(program.mqttPort, 'some-plc');
  const told = page.locator('section', { hasText: 'What went wrong on its line' }).last();
  client.publish('plant1/rollformer-2/State', '{}', 1);
  await told.getByText('did you mean plant1/rollformer-2/status?').waitFor();
  await program.device('status', { machineId: 'RF-02', goodParst: 1 });
  await told.getByText('goodParst: did you mean goodPart?').waitFor();
  await program.device('status', '{"machineId":"RF-02",}');
  await told.getByText('a comma too many').waitFor();
  client.end();
});

it('D-36 a message keeps its row, and the focus on it, while newer ones come', async () => {
  // As many as are kept: from then on each new one pushes one out.
  for (let cycle = 1; cycle <= 50; cycle++) await gate.say('RF-04', { running: true, cycle });
  await gate.open('/machine/RF-04');
  const { page } = gate;
  await page.locator('.messages button').nth(10).focus();
  await page.evaluate('window.row = document.activeElement.closest("tr")');
  for (let cycle = 51; cycle <= 53; cycle++) await gate.say('RF-04', { running: true, cycle });
  await expect.poll(() => page.evaluate('[...row.parentElement?.children ?? []].indexOf(row)')).toBe(13);
  expect(await page.evaluate('row.contains(document.activeElement)')).toBe(true);
});

it('D-09 the parts that a machine made last come first', async () => {
  await gate.say('RF-02', { partId: 'P-210', jobNumber: 'J-1', running: true });
  await gate.say('RF-02', { partId: 'P-100', jobNumber: 'J-2', running: true });
  await gate.open('/machine/RF-02/part');
  const { page } = gate;
  const recent = page.getByRole('region', { name: 'Made here lately' }).getByRole('button');
  await expect.poll(() => recent.allTextContents()).toHaveLength(2);
  expect((await recent.allTextContents())[0]).toContain('P-100 · last');
});

it('D-10 a machine that sends neither job nor operator shows when its parts were chosen, one without any says so', async () => {
  await gate.open('/machine/RF-03/part');
  const { page } = gate;
  await page.getByText('No part was chosen or made here yet.').waitFor();
  await shoot(page, 'part-none-recent');
  await gate.say('RF-03', { partId: 'P-210', running: true });
  await gate.program.api('GET', '/machines/RF-03/recentParts');
  await gate.say('RF-03', { partId: 'P-100', running: true });
  await gate.open('/machine/RF-03/part');
  const recent = gate.page.getByRole('region', { name: 'Made here lately' }).getByRole('button');
  await expect.poll(() => recent.allTextContents()).toHaveLength(2);
  expect((await recent.allTextContents())[0]).toContain('P-100 · chosen');
  await expectAccessible(gate.page);
  await shoot(gate.page, 'part-recent');
});
