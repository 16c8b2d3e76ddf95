import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { newDataDir, openTestCore, point, RF1, SHIFT_DATE, START_AT, variables } from '../open-test-store.ts';
import {
  coilMove,
  downtime,
  FORWARDING,
  longOrder,
  openedBatch,
  openForwardingStore,
  sample,
  shift,
} from './queued-records.ts';

const acknowledged = (digest: string, refused: readonly { seq: number; reason: string }[] = []) =>
  ({ kind: 'batchAcknowledged', digest, refused, at: START_AT }) as const;

it('D-27 the queue gives all waiting records with times and numbers as one batch, which names the batch before', async () => {
  const { store } = await openForwardingStore();
  expect(await store.outgoingBatch()).toBeNull();
  const part = { partId: 'P-1', partName: null, selectedAt: START_AT, selectedBy: 'person' } as const;
  const session = {
    ...{ sessionId: 'W-1', machineId: RF1, jobNumber: 'J', partId: null, userId: null, goodParts: 1, badParts: 0 },
    ...{ cycles: 1, startedAt: START_AT, lastActiveAt: START_AT, endedAt: null },
  };
  const span = { spanId: 'S-1', machineId: RF1, activity: 'running', startedAt: START_AT, endedAt: null } as const;
  const anomaly = { machineId: RF1, at: START_AT, counter: 'cycle', from: 2, to: 1 } as const;
  await store.write([coilMove('C-1', 'A'), sample('RF-01', START_AT, 'bootEnd'), shift(1), downtime('D-1', null)]);
  await store.write([
    { kind: 'part', machineId: RF1, part, at: START_AT },
    { kind: 'workSession', session },
    { kind: 'span', span },
    { kind: 'anomaly', anomaly },
    { kind: 'downtimeRemoved', downtimeId: 'D-2' },
    variables([point(1), point(2, START_AT + 1), point(3, START_AT, 'motorTemp')]),
  ]);
  const first = await store.outgoingBatch();
  const { stream, ...content } = openedBatch(first);
  expect(content).toEqual({
    ...{ version: 1, gatewayId: FORWARDING.gatewayId, previous: '', directory: expect.any(String) },
    records: [
      { seq: 1, kind: 'act', queued: coilMove('C-1', 'A').queued },
      {
        seq: 2,
        kind: 'status',
        sample: { machineId: 'RF-01', at: START_AT, why: 'bootEnd', json: expect.any(String) },
      },
      { seq: 3, kind: 'shift', shift: expect.objectContaining({ shiftName: 'Early', shiftDate: SHIFT_DATE }) },
      { seq: 4, kind: 'downtime', downtime: expect.objectContaining({ downtimeId: 'D-1', machineId: 'RF-01' }) },
      { seq: 5, kind: 'part', machineId: 'RF-01', part, at: START_AT },
      { seq: 6, kind: 'workSession', session },
      { seq: 7, kind: 'span', span },
      { seq: 8, kind: 'anomaly', anomaly },
      { seq: 9, kind: 'downtimeRemoved', downtimeId: 'D-2' },
    ],
    points: [
      { machineId: 'RF-01', name: 'lineSpeed', shiftDate: SHIFT_DATE, at: [START_AT, START_AT + 1], value: [1, 2] },
      { machineId: 'RF-01', name: 'motorTemp', shiftDate: SHIFT_DATE, at: [START_AT], value: [3] },
    ],
  });
  expect((await store.queueTotals('batch')).stream).toBe(stream);
  await store.write([acknowledged(first?.digest ?? ''), coilMove('C-2', 'A')]);
  expect(openedBatch(await store.outgoingBatch())).toMatchObject({ stream, previous: first?.digest, points: [] });
});

it('D-27 the queue gives the same bytes of a batch again, across a restart, until it is acknowledged', async () => {
  const dataDir = newDataDir();
  const first = await openForwardingStore({ dataDir });
  await first.store.write([coilMove('C-1', 'A'), variables([point(1)])]);
  const [given, again] = await Promise.all([first.store.outgoingBatch(), first.store.outgoingBatch()]);
  expect(again).toEqual(given);
  await first.store.write([coilMove('C-1', 'B'), acknowledged('another')]);
  await first.store.close();
  const { store } = await openForwardingStore({ dataDir });
  expect(await store.outgoingBatch()).toEqual(given);
  await store.write([acknowledged(given?.digest ?? '')]);
  await store.write([acknowledged(given?.digest ?? '')]);
  const next = openedBatch(await store.outgoingBatch());
  expect([next.records.map(({ seq }) => seq), next.points, next.previous]).toEqual([[2], [], given?.digest]);
});

it('D-27 the queue sends a fact again that changed while its batch was on the way', async () => {
  const { store } = await openForwardingStore();
  await store.write([shift(1)]);
  const first = await store.outgoingBatch();
  await store.write([shift(2)]);
  await store.write([acknowledged(first?.digest ?? '')]);
  expect(openedBatch(await store.outgoingBatch()).records).toMatchObject([
    { kind: 'shift', shift: { totals: { goodParts: 2 } } },
  ]);
});

it('D-27 the queue gives a catch-up before the totals that include it, also if they waited before it or the batch is made again', async () => {
  const { store } = await openForwardingStore();
  const session = {
    ...{ sessionId: 'W-1', machineId: RF1, jobNumber: 'J', partId: null, userId: null, goodParts: 1, badParts: 0 },
    ...{ cycles: 1, startedAt: START_AT, lastActiveAt: START_AT, endedAt: null },
  };
  await store.write([shift(1), { kind: 'workSession', session }, downtime('D-1', null)]);
  await store.outgoingBatch();
  const reading = { at: START_AT, mSecSinceBoot: 1_000, cycle: 9, goodPart: 9, badPart: 0 };
  const counted = shift(9);
  if (counted.kind !== 'shift') throw new Error('no shift');
  const record = { ...counted.shift, reading };
  const caughtUp = { since: START_AT - 1, at: START_AT, reading, shift: counted.shift, session };
  await store.write([
    { kind: 'catchUp', catchUp: caughtUp },
    { kind: 'shift', shift: record },
  ]);
  await store.write([{ kind: 'streamRestarted', stream: 'second' }]);
  const { records } = openedBatch(await store.outgoingBatch());
  expect(records).toEqual([
    { seq: 3, kind: 'downtime', downtime: expect.anything() },
    { seq: 4, kind: 'catchUp', catchUp: caughtUp },
    { seq: 5, kind: 'shift', shift: record },
    { seq: 6, kind: 'workSession', session },
  ]);
});

it('UP-05 the queue sets aside the records that were refused in a batch', async () => {
  const { store } = await openForwardingStore();
  await store.write([coilMove('C-1', 'A'), shift(1), coilMove('C-1', 'B')]);
  const batch = await store.outgoingBatch();
  const refused = [1, 2, 99].map((seq) => ({ seq, reason: `no ${seq}` }));
  await store.write([acknowledged(batch?.digest ?? '', refused)]);
  expect(await store.setAsideRows(10)).toMatchObject([
    { entity: 'machine:RF-01', reason: 'no 2', operation: null },
    { entity: 'coil:C-1', reason: 'no 1', at: START_AT, operation: { what: 'move of coil C-1 to A' } },
  ]);
  for (const { id } of await store.setAsideRows(10)) await store.write([{ kind: 'setAsideRetried', id }]);
  expect(openedBatch(await store.outgoingBatch()).records).toMatchObject([{ kind: 'shift' }, { kind: 'act' }]);
});

it('D-27 the queue begins a new stream with all unacknowledged records when the central server knows another past', async () => {
  const { store } = await openForwardingStore();
  await store.write([coilMove('C-1', 'A'), variables([point(1)])]);
  const lost = await store.outgoingBatch();
  await store.write([{ kind: 'streamRestarted', stream: 'second' }]);
  const { stream, previous, directory, records, points } = openedBatch(await store.outgoingBatch());
  expect([stream, previous]).toEqual(['second', '']);
  expect(directory).toBe(openedBatch(lost).directory);
  expect([records, points]).toEqual([openedBatch(lost).records, openedBatch(lost).points]);
});

it('D-27 the queue begins a new stream under a new name with all records that were unacknowledged under the old one', async () => {
  const dataDir = newDataDir();
  const before = await openForwardingStore({ dataDir });
  await before.store.write([coilMove('C-1', 'A')]);
  const old = openedBatch(await before.store.outgoingBatch());
  await before.store.close();
  const { store } = await openForwardingStore({ dataDir, forwarding: { ...FORWARDING, gatewayId: 'line-4' } });
  const { stream, ...content } = openedBatch(await store.outgoingBatch());
  expect(content).toEqual({
    ...content,
    gatewayId: 'line-4',
    previous: '',
    directory: old.directory,
    records: old.records,
  });
  expect(stream).not.toBe(old.stream);
});

it('D-27 the queue goes on with its stream after a damaged database: the data directory is the same', async () => {
  const dataDir = newDataDir();
  const before = await openForwardingStore({ dataDir });
  await before.store.write([coilMove('C-1', 'A')]);
  const sent = await before.store.outgoingBatch();
  await before.store.write([acknowledged(sent?.digest ?? ''), coilMove('C-1', 'B')]);
  await before.store.close();
  // A missing table of the schema makes the file unusable.
  new Database(join(dataDir, 'plantgate.db')).exec('DROP TABLE variable_block').close();
  const { store, restored } = await openForwardingStore({ dataDir });
  expect(restored.setAside).not.toBeNull();
  const { stream, directory } = openedBatch(sent);
  expect(openedBatch(await store.outgoingBatch())).toMatchObject({ stream, directory, previous: sent?.digest });
});

it('D-27 the queue bounds a batch, and loses nothing to the bound', async () => {
  const { store } = await openForwardingStore();
  const moves = Array.from({ length: 2_500 }, (_, index) => coilMove(`C-${index}`, 'A'));
  await store.write(moves);
  const values = Array.from({ length: 120_000 }, (_, index) => index);
  for (let from = 0; from < values.length; from += 1_000) {
    await store.write([variables(values.slice(from, from + 1_000).map((value) => point(value, START_AT + value)))]);
  }
  const sizes: number[][] = [];
  const seqs: number[] = [];
  const sent: number[] = [];
  for (let batch = await store.outgoingBatch(); batch !== null; batch = await store.outgoingBatch()) {
    const { records, points } = openedBatch(batch);
    sizes.push([records.length, points[0]?.at.length ?? 0]);
    seqs.push(...records.map(({ seq }) => seq));
    sent.push(...(points[0]?.value ?? []));
    await store.write([acknowledged(batch.digest)]);
  }
  expect(sizes).toEqual([
    [1_000, 50_000],
    [1_000, 50_000],
    [500, 20_000],
  ]);
  expect(seqs).toEqual(moves.map((_, index) => index + 1));
  expect(sent).toEqual(values);
  expect(await store.queueTotals('batch')).toMatchObject({ depth: 0, bytes: 0, oldestAt: null });
});

const tooLarge = (digest: string) => ({ kind: 'batchTooLarge', digest, reason: 'HTTP 413', at: START_AT }) as const;

it('D-27 the queue sends smaller batches after one that was refused for its size, and loses nothing', async () => {
  const { store } = await openForwardingStore();
  await store.write(Array.from({ length: 80 }, (_, index) => longOrder(`O-${index}`, 10_000)));
  await store.write(Array.from({ length: 20 }, (_, index) => variables([point(index, START_AT + index)])));
  await store.write([tooLarge('another')]);
  const seqs: number[] = [];
  const values: number[] = [];
  let largest = 0;
  for (let batch = await store.outgoingBatch(); batch !== null; batch = await store.outgoingBatch()) {
    const { records, points } = openedBatch(batch);
    if (records.length > 3) {
      await store.write([tooLarge(batch.digest)]);
      continue;
    }
    largest = Math.max(largest, records.length);
    seqs.push(...records.map(({ seq }) => seq));
    values.push(...(points[0]?.value ?? []));
    await store.write([acknowledged(batch.digest)]);
  }
  expect(largest).toBe(3);
  expect(seqs).toEqual(Array.from({ length: 80 }, (_, index) => index + 1));
  expect(values).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect(await store.queueTotals('batch')).toMatchObject({ depth: 0, setAside: 0 });
});

it('UP-05 the queue sets aside a record that is refused for its size even alone, and the batches are large again', async () => {
  const { store } = await openForwardingStore();
  const moves = Array.from({ length: 500 }, (_, index) => coilMove(`C-${index}`, 'A'));
  await store.write([coilMove('C-0', 'B'), longOrder('O-1', 200_000), ...moves, variables([point(1)])]);
  const sizes: number[] = [];
  for (let batch = await store.outgoingBatch(); batch !== null; batch = await store.outgoingBatch()) {
    const { records } = openedBatch(batch);
    const isTooLarge = records.some(({ seq }) => seq === 2);
    if (!isTooLarge) sizes.push(records.length);
    await store.write([isTooLarge ? tooLarge(batch.digest) : acknowledged(batch.digest)]);
  }
  expect(sizes).toEqual([1, 500]);
  expect(await store.setAsideRows(10)).toMatchObject([{ entity: 'order:O-1', reason: 'HTTP 413', at: START_AT }]);
  expect(await store.queueTotals('batch')).toMatchObject({ depth: 0, setAside: 1 });
});

it('UP-05 a status that is set aside for its size pushes the oldest one out, which is counted', async () => {
  const core = openTestCore(newDataDir(), 'run', false, FORWARDING);
  core.connection.exec(
    `WITH number (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM number LIMIT 1000)
     INSERT INTO set_aside (class, entity, at, epoch, bytes, body, reason, set_aside_at)
       SELECT 'change', 'machine:RF-01', at, 1, 2, '{}', 'HTTP 413', at FROM number`,
  );
  const large = { machineId: RF1, at: START_AT, why: 'change', json: JSON.stringify(' '.repeat(20_000)) } as const;
  core.write([{ kind: 'statusSample', sample: large }]);
  const batch = await core.forwarding.batches.next();
  core.write([tooLarge(batch?.digest ?? '')]);
  expect(core.connection.prepare('SELECT min(at) FROM set_aside').pluck().get()).toBe(2);
  expect(core.connection.prepare("SELECT thinned FROM queue_total WHERE class = 'change'").pluck().get()).toBe(1);
});

it('D-27 the queue keeps a small batch that is refused for its size: no record of it is too large', async () => {
  const { store } = await openForwardingStore();
  await store.write([coilMove('C-1', 'A')]);
  const first = await store.outgoingBatch();
  for (let time = 0; time < 10; time += 1) await store.write([tooLarge(first?.digest ?? '')]);
  expect(await store.outgoingBatch()).toEqual(first);
  expect((await store.queueTotals('batch')).setAside).toBe(0);
});

it('D-27 the queue leaves out records that retention has deleted meanwhile, and counts them', async () => {
  const { store } = await openForwardingStore();
  const span = { spanId: 'S-1', machineId: RF1, activity: 'running', startedAt: 0, endedAt: 1 } as const;
  await store.write([
    { kind: 'span', span },
    { kind: 'span', span: { ...span, spanId: 'S-2', endedAt: null } },
  ]);
  await store.retain();
  expect(await store.queueTotals('batch')).toMatchObject({ depth: 1, thinned: { facts: 1 } });
  expect(openedBatch(await store.outgoingBatch()).records).toMatchObject([{ seq: 2, span: { spanId: 'S-2' } }]);
});

it('D-27 the queue leaves out records that the history has lost when a batch is made, and counts them', async () => {
  const core = openTestCore(newDataDir(), 'run', false, FORWARDING);
  core.write([shift(1), downtime('D-1', null)]);
  core.connection.exec('DELETE FROM downtime');
  const batch = await core.forwarding.batches.next();
  expect(openedBatch(batch).records).toMatchObject([{ seq: 1, kind: 'shift' }]);
  expect(core.forwarding.totals.of('batch')).toMatchObject({ depth: 1, thinned: { facts: 1 } });
});

it('D-30 the queue forgets the single sends of rows whose batch is acknowledged, and notes no send of a row that is gone', async () => {
  const { store } = await openForwardingStore();
  await store.write([coilMove('C-1', 'A'), coilMove('C-2', 'A')]);
  await store.write([
    { kind: 'sendBegun', seq: 1 },
    { kind: 'sendBegun', seq: 2 },
  ]);
  const given = await store.outgoingBatch();
  await store.write([coilMove('C-3', 'A')]);
  await store.write([{ kind: 'sendBegun', seq: 3 }]);
  await store.write([acknowledged(given?.digest ?? '', [{ seq: 2, reason: 'no' }])]);
  await store.write([{ kind: 'sendBegun', seq: 1 }]);
  const isBegun = async (seq: number) => (await store.sendMemory(seq, null)).isBegun;
  expect([await isBegun(1), await isBegun(2), await isBegun(3)]).toEqual([false, false, true]);
});
