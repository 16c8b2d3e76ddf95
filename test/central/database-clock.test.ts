import { randomUUID } from 'node:crypto';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { openCentral } from '../../src/central/open-central.ts';
import { DatabaseClock } from '../../src/central/postgres/database-clock.ts';
import { quietLog } from '../adapters/store/open-test-store.ts';
import { endPostgresServer, openTestPostgres, postgresServer } from './central-under-test.ts';

afterAll(endPostgresServer);

/** A clock of a node that may be wrong, at a computer with the right time. */
class NodeClock {
  aheadMs = 0;
  /** Time that each look at the clock takes. */
  stepMs = 0;
  #passedMs = 0;

  now() {
    this.#passedMs += this.stepMs;
    const monotonicMs = performance.now() + this.#passedMs;
    return { monotonicMs, wallMs: Date.now() + this.aheadMs + this.#passedMs };
  }
}

const offBy = (clock: DatabaseClock) => Math.abs(clock.now().wallMs - Date.now());

it.each([
  ['is right', 0, null],
  ['is 4 s ahead', 4_000, null],
  ['is 10 min ahead', 600_000, 'clock: found 600 s ahead of the database, expected at most 5 s: set both computers'],
  ['is 20 s behind', -20_000, 'clock: found 20 s behind the database'],
])('D-103 a node whose clock %s', async (_, aheadMs, told) => {
  const own = new NodeClock();
  const clock = new DatabaseClock(own);
  const postgres = await openTestPostgres();
  own.aheadMs = aheadMs;
  expect(clock.risks).toEqual([]);
  expect(await clock.compare(postgres)).toBe(false);
  expect(clock.risks).toEqual(told === null ? [] : [expect.stringContaining(told)]);
  expect(offBy(clock)).toBeLessThan(told === null ? 4_500 : 1_000);
  // It is told at once when the clock is set, not at the next look.
  own.aheadMs = 0;
  expect(clock.risks).toEqual([]);
  own.aheadMs = 30_000;
  expect(clock.risks).toEqual([expect.stringContaining('30 s ahead')]);
  expect(offBy(clock)).toBeLessThan(1_000);
});

it('D-103 a slow answer of the database explains a difference up to half of its way', async () => {
  const own = new NodeClock();
  const clock = new DatabaseClock(own);
  own.stepMs = 20_000;
  own.aheadMs = -20_000;
  await clock.compare(await openTestPostgres());
  own.stepMs = 0;
  expect(clock.risks).toEqual([]);
});

it('D-103 a node knows from its start that its clock is wrong', async () => {
  const url = await (await postgresServer()).createDatabase(`test-${randomUUID()}`);
  const own = new NodeClock();
  own.aheadMs = 600_000;
  const retention = { variableDays: 90, statusDays: 30, productionDays: 30, auditDays: 730 };
  const central = await openCentral({ url, maxConnections: 4, maxGateways: 10, retention, log: quietLog, clock: own });
  onTestFinished(() => central.close());
  expect(Math.abs(central.clock.now().wallMs - Date.now())).toBeLessThan(1_000);
});
