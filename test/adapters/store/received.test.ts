import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { BatchFact, PointSeries } from '../../../src/domain/sync/batch.ts';
import { receivedMachineId } from '../../../src/domain/sync/received-id.ts';
import type { ApplyTerms, BatchOutcome } from '../../../src/flows/receive/receive-ports.ts';
import { endPostgresServer, STORES, type TestedStore } from '../../central/central-under-test.ts';
import { shiftFact } from '../../central/reporting-gateways.ts';
import { BatchSender, EMPTY_BATCH, packed, type SentBatch } from '../../fakes/batch-sender.ts';
import { eventually, newDataDir, openTestStore, RF1, SHIFT_DATE, START_AT } from './open-test-store.ts';

const TERMS: ApplyTerms = { refused: [], principal: 'plant-1', at: START_AT };
const RECEIVED_RF1 = receivedMachineId('plant1', 'RF-01');

function sender(gatewayId = 'plant1'): BatchSender {
  return new BatchSender(gatewayId, randomUUID);
}

function downtime(downtimeId: string, startedAt = START_AT): BatchFact {
  const open = { endedAt: null, reasonId: null, note: null, userName: null };
  return { kind: 'downtime', downtime: { downtimeId, machineId: RF1, startedAt, ...open } };
}

function status(at: number, json = '{"running":true}'): BatchFact {
  return { kind: 'status', sample: { machineId: RF1, at, why: 'change', json } };
}

function points(...values: readonly number[]): PointSeries {
  const at = values.map((value) => START_AT + value);
  return { machineId: 'RF-01', name: 'lineSpeed', shiftDate: SHIFT_DATE, at, value: values };
}

function batchOf(sending: BatchSender): SentBatch {
  const batch = sending.batch();
  if (batch === null) throw new Error('nothing waits');
  return batch;
}

async function take(store: TestedStore, { gzip }: SentBatch, terms: Partial<ApplyTerms> = {}): Promise<BatchOutcome> {
  const reading = await store.readBatch({ bytes: gzip, isGzip: true });
  if (reading.kind === 'refused') throw new Error(reading.reason);
  return store.applyBatch(reading.ticket, { ...TERMS, ...terms });
}

/** Sends the waiting batch and takes the answer. */
async function deliver(store: TestedStore, sending: BatchSender): Promise<BatchOutcome> {
  const batch = batchOf(sending);
  const outcome = await take(store, batch);
  if (outcome.kind === 'applied' || outcome.kind === 'repeated') sending.acknowledged(batch.digest);
  return outcome;
}

async function pointsOf(store: TestedStore): Promise<readonly number[]> {
  const found = await store.variablePoints(RECEIVED_RF1, 'lineSpeed', { shiftDate: SHIFT_DATE });
  return found.points.map(({ value }) => value);
}

async function downtimesOf(store: TestedStore): Promise<readonly string[]> {
  const found = await store.downtimes(RECEIVED_RF1, { uncategorizedOnly: false, limit: 1_000 });
  return found.map(({ downtimeId }) => downtimeId).sort();
}

afterAll(endPostgresServer);

describe.each(STORES)('$name: a batch', ({ open }) => {
  it('D-27 puts every record where it belongs, with its time, under the name of its gateway', async () => {
    const store = await open();
    const totals = { goodParts: 5, badParts: 1, cycles: 6, runningMs: 1_000.5, stoppedMs: 0, downMs: 0 };
    const sending = sender().queue(
      [
        status(START_AT, '{"goodPart":5}'),
        { kind: 'shift', shift: shiftOf(totals) },
        downtime('DT-1'),
        {
          kind: 'span',
          span: { spanId: 'S-1', machineId: RF1, activity: 'running', startedAt: START_AT, endedAt: null },
        },
        { kind: 'anomaly', anomaly: { machineId: RF1, at: START_AT, counter: 'cycle', from: 9, to: 2 } },
        { kind: 'part', machineId: RF1, part: null, at: START_AT },
      ],
      [points(1, 2, 3)],
    );
    const { digest } = batchOf(sending);
    expect(await deliver(store, sending)).toEqual({
      kind: 'applied',
      answer: { position: digest, isRepeated: false, refused: [] },
      records: 9,
    });
    expect(await downtimesOf(store)).toEqual(['plant1/DT-1']);
    expect(await store.shifts(RECEIVED_RF1, SHIFT_DATE)).toMatchObject([
      { totals: { goodParts: 5, runningMs: 1_000.5 } },
    ]);
    const day = { from: START_AT, to: START_AT + 1 };
    expect(await store.spans(RECEIVED_RF1, day)).toMatchObject([{ spanId: 'plant1/S-1', startedAt: START_AT }]);
    expect(await store.anomalies(RECEIVED_RF1, 10)).toMatchObject([{ from: 9, to: 2, at: START_AT }]);
    expect(await pointsOf(store)).toEqual([1, 2, 3]);
    expect(await store.receivedMachines({ gatewayId: 'plant1', plantIds: null, after: null, take: 10 })).toEqual([
      {
        gatewayId: 'plant1',
        plantId: 'default',
        machineId: 'RF-01',
        statusAt: START_AT,
        status: '{"goodPart":5}',
        part: null,
        activity: 'running',
        activityAt: START_AT,
        openStop: { startedAt: START_AT, reasonId: null },
      },
    ]);
    expect(await store.receivedGateways()).toEqual([
      {
        gatewayId: 'plant1',
        plantId: 'default',
        name: null,
        report: null,
        lastContactAt: START_AT,
        principal: 'plant-1',
        records: 9,
        machines: 1,
        streams: 1,
        stream: null,
        refused: [],
      },
    ]);
  });

  it('D-27 UP-02 is applied once, even if it comes several times, and answered each time', async () => {
    const store = await open();
    const sending = sender().queue([downtime('DT-1')], [points(1, 2)]);
    const batch = batchOf(sending);
    const refused = [{ seq: 1, reason: 'not here' }];
    expect(await take(store, batch, { refused })).toMatchObject({
      kind: 'applied',
      answer: { isRepeated: false, refused },
    });
    expect(await take(store, batch)).toEqual({
      kind: 'repeated',
      answer: { position: batch.digest, isRepeated: true, refused },
    });
    expect(await pointsOf(store)).toEqual([1, 2]);
    sending.acknowledged(batch.digest);
    expect(await deliver(store, sending.queue([], [points(3)]))).toMatchObject({ kind: 'applied' });
    expect(await take(store, batch)).toMatchObject({ kind: 'diverged' });
    expect(await pointsOf(store)).toEqual([1, 2, 3]);
  });

  it('UP-05 refuses a record that it cannot read, and applies the others', async () => {
    const store = await open();
    const odd = { kind: 'holiday' } as unknown as BatchFact;
    const bad = { kind: 'downtime', downtime: { downtimeId: 'a/b' } } as unknown as BatchFact;
    const outcome = await deliver(store, sender().queue([odd, bad, downtime('DT-1')]));
    expect(outcome).toMatchObject({
      kind: 'applied',
      answer: {
        refused: [
          { seq: 1, reason: expect.stringContaining('kind: found "holiday"') },
          { seq: 2, reason: expect.stringContaining('downtime.machineId: found nothing') },
        ],
      },
    });
    expect(await downtimesOf(store)).toEqual(['plant1/DT-1']);
  });

  it.each([
    ['a status deeper than 64 levels', status(START_AT, '['.repeat(65) + ']'.repeat(65)), 'json: found deeper nesting'],
    ['a count beyond 2^53', shiftFact({ goodParts: 1e300 }), 'goodParts: found 1e+300'],
    ['a length of time beyond all dates', shiftFact({ runningMs: 1e300 }), 'runningMs: found 1e+300'],
  ])('UP-05 with %s applies the others, because no report could show it', async (_, fact, reason) => {
    const store = await open();
    const outcome = await deliver(store, sender().queue([fact, downtime('DT-1')]));
    const refused = [{ seq: 1, reason: expect.stringContaining(reason) }];
    expect(outcome).toMatchObject({ kind: 'applied', answer: { refused } });
    expect(await downtimesOf(store)).toEqual(['plant1/DT-1']);
  });

  it('D-100 with halves of characters is taken: ids that differ by them alone are one id', async () => {
    const store = await open();
    const halves = ['DT-\ud800', 'DT-\ud801', 'DT-\\ud800', 'DT-\ud83d\ude00'].map((id) => downtime(id));
    const series = [points(1), { ...points(2), name: 'line\udc00' }, { ...points(3), name: 'line\ud8ff' }];
    expect(await deliver(store, sender().queue(halves, series))).toMatchObject({ kind: 'applied' });
    const ids = ['plant1/DT-\ufffd', 'plant1/DT-\\ud800', 'plant1/DT-\ud83d\ude00'];
    expect(await downtimesOf(store)).toEqual(ids.sort());
    const found = await store.variablePoints(RECEIVED_RF1, 'line\ufffd', { shiftDate: SHIFT_DATE });
    expect(found.points.map(({ value }) => value)).toEqual([2, 3]);
  });
});

describe.each(STORES)('$name: streams', ({ open }) => {
  it('D-27 of several gateways never mix, even if their machines have the same name', async () => {
    const store = await open();
    await deliver(store, sender('plant1').queue([downtime('DT-1')], [points(1)]));
    await deliver(store, sender('plant2').queue([downtime('DT-1', START_AT + 5)], [points(2)]));
    expect(await pointsOf(store)).toEqual([1]);
    const other = receivedMachineId('plant2', 'RF-01');
    expect(await store.downtimes(other, { uncategorizedOnly: true, limit: 9 })).toMatchObject([
      { downtimeId: 'plant2/DT-1', startedAt: START_AT + 5 },
    ]);
    expect(await downtimesOf(store)).toEqual(['plant1/DT-1']);
  });

  it('D-27 have to begin again for a restored data directory, and bring nothing twice', async () => {
    const store = await open();
    const sending = sender().queue([], [points(1)]);
    await deliver(store, sending);
    sending.queue([downtime('DT-1'), status(START_AT + 9, '{"cycle":9}')], [points(2, 3)]);
    const backup = sending.copy();
    await deliver(store, sending);
    await deliver(store, sending.queue([], [points(4)]));
    expect(await deliver(store, backup)).toMatchObject({ kind: 'diverged' });
    backup.restartStream();
    backup.queue([], [points(5)]);
    expect(await deliver(store, backup)).toMatchObject({ kind: 'applied' });
    expect(await pointsOf(store)).toEqual([1, 2, 3, 4, 5]);
    expect(await downtimesOf(store)).toEqual(['plant1/DT-1']);
  });

  it('D-27 D-07 take a category back that a person took back at the gateway', async () => {
    const store = await open();
    const category = { reasonId: 'DT-01', note: 'new coil', userName: 'Kim' };
    const categorized = { downtimeId: 'DT-1', machineId: RF1, startedAt: START_AT, endedAt: START_AT + 9, ...category };
    const sending = sender().queue([{ kind: 'downtime', downtime: categorized }]);
    await deliver(store, sending);
    await deliver(store, sending.queue([downtime('DT-1')]));
    expect(await store.downtime('plant1/DT-1')).toMatchObject({ reasonId: null, note: null, userName: null });
  });

  it('D-27 D-07 of an older data directory do not undo a person’s edit of a downtime', async () => {
    const store = await open();
    const category = { reasonId: 'DT-01', note: 'new coil', userName: 'Kim' };
    const categorized = { downtimeId: 'DT-1', machineId: RF1, startedAt: START_AT, endedAt: START_AT + 9, ...category };
    const sending = sender().queue([downtime('DT-1')]);
    await deliver(store, sending);
    const backup = sending.copy();
    await deliver(store, sending.queue([{ kind: 'downtime', downtime: categorized }]));
    backup.restartStream();
    await deliver(store, backup.queue([downtime('DT-1'), downtime('DT-2')]));
    // The end of the downtime comes from the data directory that goes on.
    const asReceived = { ...categorized, downtimeId: 'plant1/DT-1', machineId: RECEIVED_RF1, endedAt: null };
    const found = await store.downtimes(RECEIVED_RF1, { uncategorizedOnly: false, limit: 9 });
    expect(found).toContainEqual(asReceived);
    expect(found).toHaveLength(2);
    const later = { ...categorized, reasonId: 'DT-02', note: null };
    await deliver(store, backup.queue([{ kind: 'downtime', downtime: later }]));
    expect(await store.downtime('plant1/DT-1')).toMatchObject({ reasonId: 'DT-02', note: null });
  });

  it('D-27 have a batch refused that does not follow a known one', async () => {
    const store = await open();
    const stranger = packed({ ...EMPTY_BATCH, previous: 'a'.repeat(64) });
    expect(await take(store, stranger)).toMatchObject({ kind: 'diverged' });
    expect(await store.receivedGateways()).toEqual([]);
  });
});

describe('a batch in SQLite', () => {
  it('D-27 survives the end of the store together with its position', async () => {
    const dataDir = newDataDir();
    const first = await openTestStore({ dataDir });
    const sending = sender().queue([downtime('DT-1')], [points(1)]);
    await deliver(first.store, sending);
    await first.store.close();
    const { store, restored } = await openTestStore({ dataDir });
    expect(restored.openDowntimes).toEqual([]);
    expect(restored.parts).toEqual([]);
    expect(await deliver(store, sending.queue([], [points(2)]))).toMatchObject({ kind: 'applied' });
    expect(await pointsOf(store)).toEqual([1, 2]);
    expect(await downtimesOf(store)).toEqual(['plant1/DT-1']);
  });

  it('is gone if the thread dies, and can be delivered again', async () => {
    const { store, testing } = await openTestStore();
    const sending = sender().queue([downtime('DT-1')]);
    const reading = await store.readBatch({ bytes: batchOf(sending).gzip, isGzip: true });
    if (reading.kind === 'refused') throw new Error(reading.reason);
    testing.crash();
    await eventually(() => store.counters().threadRestarts === 1);
    await eventually(() => store.counters().health.state === 'ok');
    expect(await store.judgeBatch(reading.ticket)).toEqual({ kind: 'gone' });
    expect(await store.batchOperations(reading.ticket, -1)).toEqual({ kind: 'gone' });
    expect(await store.applyBatch(reading.ticket, TERMS)).toEqual({ kind: 'gone' });
    expect(await deliver(store, sending)).toMatchObject({ kind: 'applied' });
  });
});

function shiftOf(totals: object) {
  const none = { goodParts: 0, badParts: 0, cycles: 0, runningMs: 0, stoppedMs: 0, downMs: 0 };
  const overlapping = { faultMs: 0, overrideMs: 0, offlineMs: 0 };
  return { machineId: RF1, shiftDate: SHIFT_DATE, shiftName: 'Day', totals: { ...none, ...overlapping, ...totals } };
}
