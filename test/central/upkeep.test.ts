import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { mergeHours } from '../../src/central/points/merge-hours.ts';
import type { Postgres } from '../../src/central/postgres/postgres.ts';
import { retainCentral } from '../../src/central/retain.ts';
import type { BatchFact, PointSeries } from '../../src/domain/sync/batch.ts';
import { receivedMachineId } from '../../src/domain/sync/received-id.ts';
import { DAY_MS, HOUR_MS } from '../../src/domain/time.ts';
import { RF1 } from '../adapters/store/open-test-store.ts';
import { BatchSender } from '../fakes/batch-sender.ts';
import { rounds } from '../rounds.ts';
import { endPostgresServer, openTestPostgres, openTestReceivedStore, type TestedStore } from './central-under-test.ts';

const GATEWAY_ID = 'plant1';
const MACHINE = receivedMachineId(GATEWAY_ID, RF1);
const NOW = Date.parse('2026-03-10T12:00:00Z');
const RETENTION = { variableDays: 5, statusDays: 5, productionDays: 30 };
const EVER = { from: 0, to: NOW + 99 * DAY_MS };

afterAll(endPostgresServer);

/** The work of a night. */
async function night(postgres: Postgres, nowAt: number): Promise<void> {
  await retainCentral(postgres, RETENTION, nowAt);
  await mergeHours(postgres, nowAt - RETENTION.variableDays * DAY_MS, nowAt);
}

async function send(
  store: TestedStore,
  sender: BatchSender,
  facts: readonly BatchFact[],
  points: readonly PointSeries[],
) {
  const batch = sender.queue(facts, points).batch();
  if (batch === null) throw new Error('nothing waits');
  const reading = await store.readBatch({ bytes: batch.gzip, isGzip: true });
  if (reading.kind === 'refused') throw new Error(reading.reason);
  const terms = { refused: [], principal: 'sam', at: NOW };
  expect(await store.applyBatch(reading.ticket, terms)).toMatchObject({ kind: 'applied' });
  sender.acknowledged(batch.digest);
}

function series(name: string, shiftDate: string, at: readonly number[]): PointSeries {
  return { machineId: RF1, name, shiftDate, at, value: at.map((time) => time % 1_000) };
}

async function rowsIn(postgres: Postgres, table: string): Promise<number> {
  return (await postgres.query(`SELECT FROM central.${table}`)).length;
}

const SERIES = fc.record({
  name: fc.constantFrom('speed', 'length'),
  shiftDate: fc.constantFrom('2026-03-08', '2026-03-09'),
  at: fc.array(fc.integer({ min: NOW - 4 * DAY_MS, max: NOW }), { minLength: 1, maxLength: 30 }),
});

const BATCHES = fc.array(fc.array(SERIES, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 });
const ALL_HOURS = 'SELECT * FROM central.point_hour ORDER BY series_id, start_at, day';

it('D-102 merging days that are over changes no answer about variables, however the points came, and a second merge changes nothing', async () => {
  const postgres = await openTestPostgres();
  const store = await openTestReceivedStore(postgres);
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(BATCHES, async (batches) => {
      const gatewayId = `plant-${runs++}`;
      const machine = receivedMachineId(gatewayId, RF1);
      const sender = new BatchSender(gatewayId, randomUUID);
      const retain = () => night(postgres, NOW);
      const answers = async () => ({
        points: await Promise.all(['speed', 'length'].map((name) => store.variablePoints(machine, name, EVER))),
        days: await Promise.all(
          ['2026-03-08', '2026-03-09'].map((shiftDate) => store.variablePoints(machine, 'speed', { shiftDate })),
        ),
        buckets: await store.variableBuckets(machine, 'speed', { from: NOW - 2 * DAY_MS, to: NOW }, 7),
      });
      for (const [index, batch] of batches.entries()) {
        const points = batch.map(({ name, shiftDate, at }) => series(name, shiftDate, at));
        await send(store, sender, [], points);
        const before = await answers();
        // Some come when their day is merged already.
        if (index % 2 === 1) await retain();
        expect(await answers()).toEqual(before);
      }
      const before = await answers();
      await retain();
      expect(await answers()).toEqual(before);
      const hours = await postgres.query(ALL_HOURS);
      await Promise.all([retain(), retain()]);
      expect(await postgres.query(ALL_HOURS)).toEqual(hours);
      const midnight = Math.floor(NOW / DAY_MS - 1) * DAY_MS;
      expect(await postgres.query('SELECT FROM central.point_run WHERE start_at < $1', [midnight])).toEqual([]);
    }),
    { numRuns: rounds(60) },
  );
}, 300_000);

it('D-102 a merged day has a row for each series and hour, and points older than the retention are gone with their partition', async () => {
  const postgres = await openTestPostgres();
  const store = await openTestReceivedStore(postgres);
  const sender = new BatchSender(GATEWAY_ID, randomUUID);
  await night(postgres, NOW);
  const day = Date.parse('2026-03-07T00:00:00Z');
  for (let from = day; from < day + 3 * HOUR_MS; from += HOUR_MS / 4) {
    await send(store, sender, [], [series('speed', '2026-03-07', [from, from + 1_000, from + 2_000])]);
  }
  // Partitions of the past exist, so that a gateway that was away finds its days; only odd times have none.
  const odd = NOW + 30 * DAY_MS;
  await send(store, sender, [], [series('speed', '2026-03-07', [odd])]);
  expect(await rowsIn(postgres, 'point_run')).toBe(13);
  expect(await rowsIn(postgres, 'point_run_default')).toBe(1);
  await night(postgres, NOW);
  expect(await rowsIn(postgres, 'point_hour')).toBe(3);
  expect(await rowsIn(postgres, 'point_run')).toBe(1);
  const { points } = await store.variablePoints(MACHINE, 'speed', EVER);
  expect(points).toHaveLength(37);
  await night(postgres, NOW + 40 * DAY_MS);
  expect((await store.variablePoints(MACHINE, 'speed', EVER)).points).toEqual([]);
  const partitions = await postgres.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relname LIKE 'point_run_2%' AND relkind = 'r' ORDER BY 1",
  );
  expect(partitions.map(({ name }) => name).at(0)).toBe('point_run_20260414');
  expect(partitions).toHaveLength(RETENTION.variableDays + 8);
});

it.each<{ readonly what: string; readonly fact: BatchFact; readonly left: number }>([
  {
    what: 'a span',
    fact: { kind: 'span', span: { spanId: 'S', machineId: RF1, activity: 'running', ...past(6) } },
    left: 0,
  },
  {
    what: 'a span of a fault',
    fact: { kind: 'span', span: { spanId: 'S', machineId: RF1, activity: 'fault', ...past(6) } },
    left: 1,
  },
  {
    what: 'a span that lasts',
    fact: { kind: 'span', span: { spanId: 'S', machineId: RF1, activity: 'running', ...past(60), endedAt: null } },
    left: 1,
  },
])('D-102 after six of five days $what is kept: $left', async ({ fact, left }) => {
  const postgres = await openTestPostgres();
  const store = await openTestReceivedStore(postgres);
  await send(store, new BatchSender(GATEWAY_ID, randomUUID), [fact], []);
  await night(postgres, NOW);
  expect(await rowsIn(postgres, 'span')).toBe(left);
});

function past(days: number) {
  return { startedAt: NOW - days * DAY_MS - HOUR_MS, endedAt: NOW - days * DAY_MS };
}
