import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { MOVED_ROWS, moveReceived } from '../../src/central/move/move-received.ts';
import { openReceivedStore } from '../../src/central/received/received-store.ts';
import type { BatchFact, PointSeries } from '../../src/domain/sync/batch.ts';
import { receivedMachineId } from '../../src/domain/sync/received-id.ts';
import { KeyedMutex } from '../../src/flows/keyed-mutex.ts';
import { BatchReceiver } from '../../src/flows/receive/batch-receiver.ts';
import type { Store } from '../../src/flows/store-ports.ts';
import {
  newDataDir,
  openSchema,
  openTestStore,
  quietLog,
  RF1,
  SHIFT_DATE,
  START_AT,
} from '../adapters/store/open-test-store.ts';
import { BatchSender, NO_BUSINESS } from '../fakes/batch-sender.ts';
import { endPostgresServer, openTestPostgres, postgresServer } from './central-under-test.ts';

afterAll(endPostgresServer);

const GATEWAYS = 3;
const PLANTS = ['default', 'tulsa', 'dayton'];
const POINTS = 2_000;
const retention = { variableDays: 90, statusDays: 30, productionDays: 30, auditDays: 730 };

function factsOf(index: number): readonly BatchFact[] {
  const none = { runningMs: 0, stoppedMs: 0, downMs: 0, faultMs: 0, overrideMs: 0, offlineMs: 0 };
  const totals = { ...none, goodParts: 100 + index, badParts: 1, cycles: 101 + index };
  const downtime = {
    ...{ downtimeId: `d-${index}`, machineId: RF1, startedAt: START_AT, endedAt: START_AT + 60_000 },
    ...{ reasonId: 'DT-01', note: 'half \ud83d', userName: 'Ada' },
  };
  const sample = { machineId: RF1, json: '{"running":true}', at: START_AT, why: 'repeat' } as const;
  return [
    { kind: 'shift', shift: { machineId: RF1, shiftDate: SHIFT_DATE, shiftName: 'Day', totals } },
    { kind: 'downtime', downtime },
    { kind: 'status', sample } as never,
    { kind: 'anomaly', anomaly: { machineId: RF1, at: START_AT, counter: 'cycle', from: 5, to: 1 } },
  ];
}

function pointsOf(index: number): readonly PointSeries[] {
  const at = Array.from({ length: POINTS }, (_, place) => START_AT + place * 1_000);
  const value = at.map((_, place) => place / 10 + index);
  return [
    { machineId: RF1, name: 'lineSpeed', shiftDate: SHIFT_DATE, at, value },
    { machineId: RF1, name: 'motorTemp', shiftDate: SHIFT_DATE, at: at.slice(0, 3), value: value.slice(0, 3) },
  ];
}

/** A data directory to which gateways have sent, whose store is closed. */
async function usedDataDir(): Promise<string> {
  const dataDir = newDataDir();
  const { store } = await openTestStore({ dataDir });
  const receiver = new BatchReceiver({
    store,
    operationsIn: () => NO_BUSINESS,
    incidents: { report: () => undefined },
    clock: { now: () => ({ monotonicMs: performance.now(), wallMs: START_AT }) },
    turns: new KeyedMutex('gateway', 8),
    exchange: null,
  });
  for (let index = 0; index < GATEWAYS; index += 1) {
    const batch = new BatchSender(`line-${index}`, randomUUID).queue(factsOf(index), pointsOf(index)).batch();
    const key = { principal: 'sam', plantId: PLANTS[index] ?? 'default' };
    await receiver.receive({ bytes: batch?.gzip ?? new Uint8Array(), isGzip: true }, key);
  }
  await store.write([{ kind: 'gatewayRenamed', gatewayId: 'line-1', name: 'Line one' }]);
  await store.close();
  return dataDir;
}

/** Everything that the views of gateways ask for. */
async function shownBy(
  store: Pick<Store, 'receivedGateways' | 'receivedMachines' | 'shifts' | 'downtimes' | 'anomalies' | 'variablePoints'>,
) {
  const machines = await store.receivedMachines({ gatewayId: null, plantIds: null, after: null, take: 100 });
  const of = await Promise.all(
    Array.from({ length: GATEWAYS }, async (_, index) => {
      const id = receivedMachineId(`line-${index}`, RF1);
      return {
        shifts: await store.shifts(id, SHIFT_DATE),
        downtimes: await store.downtimes(id, { uncategorizedOnly: false, limit: 10 }),
        anomalies: await store.anomalies(id, 10),
        speed: await store.variablePoints(id, 'lineSpeed', { shiftDate: SHIFT_DATE }),
        temperature: await store.variablePoints(id, 'motorTemp', { from: START_AT, to: START_AT + 10_000 }),
      };
    }),
  );
  return { gateways: await store.receivedGateways(), machines, of };
}

it('D-100 every table of SQLite about what gateways send is moved', async () => {
  const tables = openSchema()
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE name LIKE 'received%' AND type = 'table'")
    .pluck()
    .all();
  // Acts of people go into the journal with everything else that people do (D-79).
  const expected = tables.filter((table) => table !== 'received_act').sort();
  expect([...MOVED_ROWS.keys()].filter((table) => table.startsWith('received_')).sort()).toEqual(expected);
});

it('D-100 D-108 what gateways have sent to SQLite moves to PostgreSQL, row by row; a second run changes nothing', async () => {
  const dataDir = await usedDataDir();
  const before = await openTestStore({ dataDir });
  const shown = await shownBy(before.store);
  await before.store.close();
  const url = await (await postgresServer()).createDatabase(`move-${randomUUID()}`);
  const lines: string[] = [];
  const options = {
    dataDir,
    url,
    retention,
    nowAt: START_AT,
    log: quietLog,
    tell: (line: string) => void lines.push(line),
  };
  await moveReceived(options);
  expect(lines).toContain(`points: ${GATEWAYS * (POINTS + 3)}`);
  const postgres = await openTestPostgres(url);
  const moved = openReceivedStore({ postgres, maxGateways: 10, wallMs: () => START_AT });
  const half = JSON.parse(JSON.stringify(shown).replaceAll('\\ud83d', '\ufffd'));
  expect(await shownBy(moved)).toEqual(half);
  expect((await moved.receivedGateways()).map(({ plantId }) => plantId)).toEqual(PLANTS);
  const { store } = await openTestStore({ dataDir });
  expect(await store.receivedGateways()).toEqual([]);
  await store.close();
  await moveReceived(options);
  expect(await shownBy(moved)).toEqual(half);
  expect((await readdir(dataDir)).filter((name) => name.includes('before-postgres'))).not.toEqual([]);
});

it('D-100 a move that breaks is begun again, and one into a database of others is refused', async () => {
  const dataDir = await usedDataDir();
  const url = await (await postgresServer()).createDatabase(`broken-${randomUUID()}`);
  const options = { dataDir, url, retention, nowAt: START_AT, log: quietLog };
  const breaking = (line: string) => {
    if (line.startsWith('variables')) throw new Error('the line is cut');
  };
  await expect(moveReceived({ ...options, tell: breaking })).rejects.toThrow('the line is cut');
  const kept = await openTestStore({ dataDir });
  expect((await kept.store.receivedGateways()).length).toBe(GATEWAYS);
  await kept.store.close();
  await moveReceived({ ...options, tell: () => undefined });
  const postgres = await openTestPostgres(url);
  const [sum] = await postgres.query<{ points: number }>(
    'SELECT sum(cardinality(value)) AS points FROM central.point_hour',
  );
  expect(Number(sum?.points)).toBe(GATEWAYS * (POINTS + 3));
  onTestFinished(() => postgres.run("DELETE FROM central.stream WHERE gateway_id = 'other'").then(() => undefined));
  await postgres.run("UPDATE central.stream SET gateway_id = 'other' WHERE gateway_id = 'line-0'");
  const others = await usedDataDir();
  await expect(moveReceived({ ...options, dataDir: others, tell: () => undefined })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('gateway other already'),
  });
});
