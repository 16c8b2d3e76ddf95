import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectAlert, expectFailuresTold, failCalls } from './acts/act.ts';
import { STOPS_AND_PARTS, stop } from './acts/stops-and-parts.ts';
import { PLANT_OF_ACTS, WAREHOUSE_AND_PROFILES } from './acts/warehouse-and-profiles.ts';
import { expectAccessible, shoot } from './browser.ts';
import { PageUnderTest } from './page-under-test.ts';

let gate: PageUnderTest;

beforeAll(async () => {
  const plant = JSON.stringify(PLANT_OF_ACTS);
  gate = await PageUnderTest.start({ plant, settings: 'legacyAgent: { kind: simulated }\n' });
});
afterEach(() => gate.rest());
afterAll(() => gate.end());

/** The gateway refuses each act, then does not answer, then does it. */
describe('a technician learns the outcome of', () => {
  it.each([...STOPS_AND_PARTS, ...WAREHOUSE_AND_PROFILES])('$name', (act) => expectFailuresTold(gate, act));
});

it('a technician with a telephone is told the outcome of a reason for a stop in German', async () => {
  await stop(gate, 'RF-01');
  await gate.open('/stops', { locale: 'de-DE', viewport: { width: 390, height: 844 } });
  const { page } = gate;
  const fails = await failCalls(page, 'POST', '/local/downtimes/category');
  const touch = () => page.locator('button.reason', { hasText: 'Coil change' }).click();
  await touch();
  await expectAlert(page, 'Das Gateway kann das jetzt nicht speichern. Nichts wurde geändert.', 'the disk is full');
  await expectAccessible(page);
  await shoot(page, 'refusal-390-de');
  const told = await page.getByRole('alert').locator('span').boundingBox();
  expect(told?.width).toBeGreaterThan(300);
  fails.with = 'no answer';
  await touch();
  await expectAlert(page, 'Das Gateway hat nicht geantwortet. Ob es getan wurde, ist nicht bekannt.', '');
  fails.with = 'nothing';
  await touch();
  await gate.expectHeadline('Jeder Stillstand hat seinen Grund');
  gate.forgive('ERR_FAILED');
});
