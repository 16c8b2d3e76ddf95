import { describe, expect, it } from 'vitest';
import type { Downtime, ShiftRecord, Span, WorkSession } from '../../../../src/domain/machine/records.ts';
import type { StoreRecord } from '../../../../src/flows/store-ports.ts';
import {
  machine,
  machineState,
  newDataDir,
  openTestStore,
  point,
  RF1,
  START_AT,
  variables,
} from '../open-test-store.ts';

const open: Downtime = {
  downtimeId: 'd1',
  machineId: RF1,
  startedAt: START_AT,
  endedAt: null,
  reasonId: null,
  note: null,
  userName: null,
};
const uncategorized: Downtime = { ...open, downtimeId: 'd2', startedAt: START_AT + 1, endedAt: START_AT + 2 };
const done: Downtime = {
  ...uncategorized,
  downtimeId: 'd3',
  startedAt: START_AT + 2,
  reasonId: 'DT-01',
  userName: 'pat',
};

const totals = {
  goodParts: 5,
  badParts: 1,
  cycles: 6,
  runningMs: 1.5,
  stoppedMs: 2,
  downMs: 3,
  faultMs: 4,
  overrideMs: 5,
  offlineMs: 6,
};
const shift: ShiftRecord = { machineId: RF1, shiftDate: '2026-03-04', shiftName: 'Day', totals };

function spanAt(index: number): Span {
  const startedAt = START_AT + index;
  return { spanId: `s${index}`, machineId: RF1, activity: 'running', startedAt, endedAt: startedAt + 1 };
}

function downtimes(...records: readonly Downtime[]): StoreRecord[] {
  return records.map((downtime) => ({ kind: 'downtime', downtime }));
}

function brokerPut(key: string, value: string): StoreRecord {
  return { kind: 'brokerPut', row: { table: 'retained', key, value: Buffer.from(value) } };
}

function personSession(sessionId: string, lastUsedAt: number) {
  const place = { origin: 'http://gate', address: '10.0.0.7', panelId: null, panelName: null };
  const session = { sessionId, person: 'pat', personDigest: 'digest', ...place, since: START_AT, lastUsedAt };
  return { kind: 'personSession', session } as const;
}

it('D-03 D-09 D-96 MQTT-06 the store gives back live state, parts, downtimes, plant, people and broker rows after a restart', async () => {
  const dataDir = newDataDir();
  const first = await openTestStore({ dataDir });
  expect(first.restored).toMatchObject({ machineStates: [], lastWrittenAt: null, setAside: null });
  const part = { partId: 'P-100', partName: 'Panel', selectedAt: START_AT, selectedBy: 'person' } as const;
  first.store.record([machineState('{"cycle":7}'), ...downtimes(open, uncategorized, done)]);
  first.store.record([
    { kind: 'part', machineId: RF1, part, at: START_AT },
    { kind: 'part', machineId: machine('RF-02'), part: null, at: START_AT },
    { kind: 'plant', row: { kind: 'parts', id: 'P-100', json: '{"partName":"Panel"}' } },
    { kind: 'plant', row: { kind: 'parts', id: 'P-200', json: '{}' } },
    { kind: 'plant', row: { kind: 'parts', id: 'P-200', json: null } },
    brokerPut('plant1/rollformer-1/online', 'true'),
    ...['older', 'newer', 'ended'].map((sessionId, place) => personSession(sessionId, START_AT + place)).reverse(),
    { kind: 'personSessionEnded', sessionId: 'ended' },
  ]);
  await first.store.close();
  const { restored } = await openTestStore({ dataDir });
  expect(restored).toEqual({
    machineStates: [{ machineId: RF1, json: '{"cycle":7}' }],
    parts: [
      { machineId: RF1, part, at: START_AT },
      { machineId: 'RF-02', part: null, at: START_AT },
    ],
    openDowntimes: [open, uncategorized],
    personSessions: [personSession('older', START_AT).session, personSession('newer', START_AT + 1).session],
    plant: [{ kind: 'parts', id: 'P-100', json: '{"partName":"Panel"}' }],
    broker: [{ table: 'retained', key: 'plant1/rollformer-1/online', value: new Uint8Array(Buffer.from('true')) }],
    damaged: [],
    lastWrittenAt: START_AT,
    setAside: null,
  });
});

it('an answer contains the records from before the question', async () => {
  const { store } = await openTestStore();
  store.record(downtimes(open, uncategorized, done));
  expect(await store.downtimes(RF1, { uncategorizedOnly: false, limit: 2 })).toEqual([done, uncategorized]);
  expect(await store.downtimes(RF1, { uncategorizedOnly: true, limit: 9 })).toEqual([uncategorized, open]);
  expect(await store.downtime('d3')).toEqual(done);
  await store.write([{ kind: 'downtimeRemoved', downtimeId: 'd3' }]);
  expect(await store.downtime('d3')).toBeNull();
});

it('an answer contains the records from before the question, with any number of batches before and renewals after it', async () => {
  const { store } = await openTestStore();
  const acts: Promise<void>[] = [];
  for (let batch = 0; batch < 6; batch++) {
    acts.push(store.write([{ kind: 'span', span: spanAt(batch) }]));
    await new Promise(setImmediate);
  }
  store.record([{ kind: 'span', span: spanAt(6) }]);
  const asked = store.spans(RF1, { from: START_AT, to: START_AT + 100 });
  store.record([{ kind: 'span', span: spanAt(7) }]);
  const answer = await asked;
  expect(answer.map(({ spanId }) => spanId).slice(0, 7)).toEqual(Array.from({ length: 7 }, (_, index) => `s${index}`));
  await Promise.all(acts);
});

it('DEV-13 DEV-16 the store keeps shifts, work sessions and anomalies as they were written last', async () => {
  const { store } = await openTestStore();
  const session: WorkSession = {
    sessionId: 'w1',
    machineId: RF1,
    jobNumber: 'J-1',
    partId: null,
    userId: 'badge-7',
    startedAt: START_AT,
    lastActiveAt: START_AT,
    endedAt: null,
    goodParts: 1,
    badParts: 0,
    cycles: 1,
  };
  const anomaly = { machineId: RF1, at: START_AT, counter: 'goodPart', from: 9, to: 3 } as const;
  const night = { ...shift, shiftName: 'Night' };
  await store.write([
    { kind: 'shift', shift: { ...shift, totals: { ...totals, goodParts: 1 } } },
    { kind: 'shift', shift: night },
    { kind: 'shift', shift },
    { kind: 'workSession', session },
    { kind: 'workSession', session: { ...session, goodParts: 2, endedAt: START_AT + 5 } },
    { kind: 'anomaly', anomaly },
    { kind: 'anomaly', anomaly },
  ]);
  expect(await store.shifts(RF1, '2026-03-04')).toEqual([shift, night]);
  expect(await store.workSessions(RF1, 5)).toEqual([{ ...session, goodParts: 2, endedAt: START_AT + 5 }]);
  expect(await store.anomalies(RF1, 5)).toEqual([anomaly]);
});

it('the store gives the spans that touch a range, and the time spent in each activity within it', async () => {
  const { store } = await openTestStore();
  const of = (activity: Span['activity'], from: number, to: number | null): Span => ({
    spanId: `${activity}-${from}`,
    machineId: RF1,
    activity,
    startedAt: START_AT - 100 + from,
    endedAt: to === null ? null : START_AT - 100 + to,
  });
  const spans = [of('running', 0, 10), of('stopped', 10, 30), of('running', 30, 40), of('down', 40, null)];
  await store.write(spans.map((span) => ({ kind: 'span', span })));
  expect(await store.spans(RF1, { from: START_AT - 85, to: START_AT - 65 })).toEqual(spans.slice(1, 3));
  const all = { from: START_AT - 95, to: START_AT + 1_000_000 };
  const inAll = { running: 15, stopped: 20, down: 60, fault: 0, offline: 0 };
  expect(await store.activityTotals(RF1, all)).toEqual(inAll);
});

it('MQTT-10 the store deletes broker rows by key and by the beginning of their key', async () => {
  const dataDir = newDataDir();
  const { store } = await openTestStore({ dataDir });
  await store.write(['a/1', 'a/2', 'a/\u{10ffff}', 'a0', 'b/1'].map((key) => brokerPut(key, key)));
  await store.write([
    { kind: 'brokerDeletePrefix', table: 'retained', prefix: 'a/' },
    { kind: 'brokerDeletePrefix', table: 'session', prefix: '' },
    { kind: 'brokerDelete', table: 'retained', key: 'b/1' },
  ]);
  await store.close();
  const { restored } = await openTestStore({ dataDir });
  expect(restored.broker.map(({ key }) => key)).toEqual(['a0']);
});

it('VAR-03 VAR-04 the store keeps two points of the same millisecond', async () => {
  const { store } = await openTestStore();
  await store.write([variables([point(1), point(2)])]);
  const { points } = await store.variablePoints(RF1, 'lineSpeed', { from: START_AT, to: START_AT + 1 });
  expect(points).toEqual([
    { at: START_AT, value: 1 },
    { at: START_AT, value: 2 },
  ]);
});

it('VAR-04 `synced` resolves when the records before it are on disk', async () => {
  const { store } = await openTestStore();
  await store.synced();
  store.record([brokerPut('a', 'recorded')]);
  expect(store.counters()).toMatchObject({ pendingRecords: 1, records: 0 });
  await store.synced();
  expect(store.counters()).toMatchObject({ pendingRecords: 0, records: 1 });
});

it('the store refuses writes once it is closed', async () => {
  const { store } = await openTestStore();
  await store.close();
  await expect(store.write([machineState('{}')])).rejects.toMatchObject({ code: 'store-unavailable' });
  await expect(store.synced()).rejects.toMatchObject({ code: 'store-unavailable' });
});

describe('thousands of records that belong together', () => {
  const SEEDS = Array.from({ length: 5_000 }, (_, place): StoreRecord => {
    const entry = { coilId: `C-${place}`, location: 'WH-A1' };
    return { kind: 'warehouseSeed', seed: { of: 'coils', mode: 'merge', entry } };
  });

  it('are stored as one, before later records', async () => {
    const { store } = await openTestStore();
    const stored = store.write(SEEDS);
    await store.write([{ kind: 'warehouseRemoval', of: 'coils', id: 'C-4999' }]);
    await stored;
    expect(await store.warehouseCounts()).toEqual({ coils: 4_999, tasks: 0 });
  });

  it('are stored once if the thread dies in the middle of them', async () => {
    const { store, testing } = await openTestStore();
    const stored = store.write(SEEDS);
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    testing.crash();
    await stored;
    expect(store.counters().threadRestarts).toBe(1);
    expect(await store.warehouseCounts()).toEqual({ coils: 5_000, tasks: 0 });
  });
});
