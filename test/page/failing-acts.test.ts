import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { expectFailuresTold } from './acts/act.ts';
import { STOPS_AND_PARTS } from './acts/stops-and-parts.ts';
import { PLANT_OF_ACTS, WAREHOUSE_AND_PROFILES } from './acts/warehouse-and-profiles.ts';
import { openBrowser } from './browser.ts';
import { PageUnderTest } from './page-under-test.ts';

let browser: Browser;
let gate: PageUnderTest;

beforeAll(async () => {
  browser = await openBrowser();
  const plant = JSON.stringify(PLANT_OF_ACTS);
  gate = await PageUnderTest.start(browser, { plant, settings: 'legacyAgent: { kind: simulated }\n' });
});
afterEach(() => gate.leave());
afterAll(async () => {
  await gate.end();
  await browser.close();
});

/** The gateway refuses it, then does not answer, then does it. */
describe('a technician learns what came of', () => {
  it.each([...STOPS_AND_PARTS, ...WAREHOUSE_AND_PROFILES])('$name', (act) => expectFailuresTold(gate, act));
});
