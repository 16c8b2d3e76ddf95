import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { BatchFact } from '../../../src/domain/sync/batch.ts';
import type { NameRecord } from '../../../src/domain/sync/name-claim.ts';
import { receivedMachineId } from '../../../src/domain/sync/received-id.ts';
import type { BatchVerdict } from '../../../src/flows/receive/receive-ports.ts';
import { endPostgresServer, STORES, type TestedStore } from '../../central/central-under-test.ts';
import { BatchSender } from '../../fakes/batch-sender.ts';
import { newDataDir, openTestStore, RF1, SHIFT_DATE, START_AT } from './open-test-store.ts';

const GATEWAY_ID = 'plant1';
const PRINCIPAL = 'sam';

function shift(shiftName: string, goodParts: number): BatchFact {
  const none = {
    badParts: 0,
    cycles: 0,
    runningMs: 0,
    stoppedMs: 0,
    downMs: 0,
    faultMs: 0,
    overrideMs: 0,
    offlineMs: 0,
  };
  return { kind: 'shift', shift: { machineId: RF1, shiftDate: SHIFT_DATE, shiftName, totals: { ...none, goodParts } } };
}

function fresh(): BatchSender {
  return new BatchSender(GATEWAY_ID, randomUUID);
}

/** A copy of its data directory, which had to begin its own stream. */
function restarted(sender: BatchSender): BatchSender {
  const copy = sender.copy();
  copy.restartStream();
  return copy;
}

/** Gives the standing of the next batch, and applies it in any case. */
async function send(store: TestedStore, sender: BatchSender, facts: readonly BatchFact[]): Promise<BatchVerdict> {
  const batch = sender.queue(facts).batch();
  if (batch === null) throw new Error('nothing waits');
  const reading = await store.readBatch({ bytes: batch.gzip, isGzip: true });
  if (reading.kind === 'refused') throw new Error(reading.reason);
  const verdict = await store.judgeBatch(reading.ticket);
  await store.applyBatch(reading.ticket, { refused: [], principal: PRINCIPAL, at: START_AT });
  sender.acknowledged(batch.digest);
  return verdict;
}

async function partsOf(store: TestedStore): Promise<Readonly<Record<string, number>>> {
  const shifts = await store.shifts(receivedMachineId(GATEWAY_ID, RF1), SHIFT_DATE);
  return Object.fromEntries(shifts.map(({ shiftName, totals }) => [shiftName, totals.goodParts]));
}

function standing(holder: string | null, isRefused = false) {
  const owner = holder === null ? null : PRINCIPAL;
  return { kind: 'next', standing: { holder, owner, plantId: 'default', isRefused } };
}

function named(kind: 'nameTaken' | 'nameGranted', { gatewayId, stream }: BatchSender): NameRecord {
  return { kind, gatewayId, stream, principal: PRINCIPAL, plantId: 'default', at: START_AT };
}

function refused({ gatewayId, stream }: BatchSender, at = START_AT) {
  return { kind: 'nameRefused', gatewayId, stream, principal: PRINCIPAL, at } as const;
}

afterAll(endPostgresServer);

describe.each(STORES)('$name', ({ open }) => {
  it('D-27 a name that is granted and granted back belongs to the original; no stream is both taken and refused', async () => {
    const store = await open();
    const original = fresh();
    const copy = restarted(original);
    await send(store, original, [shift('Early', 500)]);
    await store.write([named('nameTaken', original), refused(copy)]);
    await store.write([named('nameGranted', copy)]);
    await store.write([named('nameGranted', original)]);
    expect(await store.receivedGateways()).toMatchObject([
      { stream: original.stream, refused: [{ stream: copy.stream }] },
    ]);
  });

  it('D-27 a grant shows the shifts of the granted stream again that copies overwrote, and leaves other shifts alone', async () => {
    const store = await open();
    const original = fresh();
    const copies = [restarted(original), restarted(original)] as const;
    for (const sender of [original, ...copies]) {
      await store.write([named('nameTaken', sender)]);
      const own =
        sender === original ? [shift('Early', 500), shift('Late', 70)] : [shift('Early', 1), shift('Night', 9)];
      await send(store, sender, own);
    }
    await send(store, copies[1], [shift('Early', 600)]);
    expect(await partsOf(store)).toEqual({ Early: 600, Late: 70, Night: 9 });
    await store.write([named('nameGranted', original)]);
    await store.write([named('nameGranted', original)]);
    expect(await partsOf(store)).toEqual({ Early: 500, Late: 70, Night: 9 });
    expect(await store.receivedGateways()).toMatchObject([{ refused: [{ stream: copies[1].stream }] }]);
  });

  it('D-27 DEV-07 counts of a newly made data directory are added; counts of a restored one are taken as reported', async () => {
    const store = await open();
    const lost = fresh();
    await send(store, lost, [shift('Day', 900)]);
    const anew = fresh();
    await store.write([named('nameTaken', anew)]);
    await send(store, anew, [shift('Day', 5)]);
    expect(await partsOf(store)).toEqual({ Day: 905 });
    await send(store, anew, [shift('Day', 99)]);
    expect(await partsOf(store)).toEqual({ Day: 999 });
    const restored = restarted(anew);
    await store.write([named('nameTaken', restored)]);
    await send(store, restored, [shift('Day', 120)]);
    expect(await partsOf(store)).toEqual({ Day: 1_020 });
  });

  it('D-27 a downtime that was open when a data directory was heard last ends then: no other stream reports its end', async () => {
    const store = await open();
    const lost = fresh();
    await store.write([named('nameTaken', lost)]);
    const startedAt = START_AT - 60_000;
    const began = { machineId: RF1, startedAt, endedAt: null };
    const work = { jobNumber: null, partId: null, userId: null, goodParts: 1, badParts: 0, cycles: 1 };
    const says = { reasonId: null, note: null, userName: null };
    await send(store, lost, [
      { kind: 'span', span: { spanId: 'S-1', activity: 'running', ...began } },
      { kind: 'downtime', downtime: { downtimeId: 'DT-1', ...says, ...began } },
      { kind: 'workSession', session: { sessionId: 'W-1', lastActiveAt: startedAt, ...work, ...began } },
      { kind: 'span', span: { spanId: 'S-3', activity: 'stopped', ...began, startedAt: START_AT + 3 } },
    ]);
    const anew = fresh();
    await store.write([named('nameTaken', lost), named('nameTaken', anew)]);
    await send(store, anew, [
      { kind: 'span', span: { spanId: 'S-2', activity: 'running', ...began, startedAt: START_AT + 5 } },
    ]);
    const machineId = receivedMachineId(GATEWAY_ID, RF1);
    const ends = { startedAt, endedAt: START_AT };
    expect(await store.spans(machineId, { from: startedAt, to: START_AT + 9 })).toMatchObject([
      ends,
      { startedAt: START_AT + 3, endedAt: START_AT + 3 },
      { startedAt: START_AT + 5, endedAt: null },
    ]);
    expect(await store.downtimes(machineId, { uncategorizedOnly: true, limit: 9 })).toMatchObject([ends]);
    expect(await store.workSessions(machineId, 9)).toMatchObject([ends]);
  });

  it('D-27 a grant leaves shifts alone that the granted stream did not report', async () => {
    const store = await open();
    const first = fresh();
    const finished = restarted(first);
    const granted = restarted(first);
    await send(store, first, [shift('Early', 300)]);
    await store.write([named('nameTaken', finished)]);
    await send(store, finished, [shift('Early', 900)]);
    await store.write([refused(granted), named('nameGranted', granted)]);
    expect(await partsOf(store)).toEqual({ Early: 900 });
  });

  it('D-27 two gateways that take the name from each other many times do not push out a third', async () => {
    const store = await open();
    const lost = fresh();
    await send(store, lost, [shift('Day', 900)]);
    const two = [fresh(), fresh()] as const;
    for (const sender of two) await send(store, sender, [shift('Day', 1)]);
    for (let count = 0; count < 40; count += 1) await store.write(two.map((sender) => named('nameTaken', sender)));
    await send(store, fresh(), [shift('Day', 5)]);
    expect(await partsOf(store)).toEqual({ Day: 907 });
  });

  it('D-27 reports of shifts are forgotten together with their stream: 64 streams of a gateway are remembered', async () => {
    const store = await open();
    for (let count = 0; count < 70; count += 1) await send(store, fresh(), [shift('Day', 1)]);
    const last = fresh();
    await store.write([named('nameTaken', last)]);
    await send(store, last, [shift('Day', 1)]);
    expect(await partsOf(store)).toEqual({ Day: 64 });
  });

  it('D-27 the 16 newest refused streams of a gateway are remembered', async () => {
    const store = await open();
    await send(store, fresh(), [shift('Day', 1)]);
    const senders = Array.from({ length: 20 }, fresh);
    for (const [place, sender] of senders.entries()) await store.write([refused(sender, START_AT + place)]);
    const [gateway] = await store.receivedGateways();
    expect(gateway?.refused.map(({ stream }) => stream)).toEqual(senders.slice(4).map(({ stream }) => stream));
  });
});

it('D-27 the last to take a name holds it, and the refused one stays refused, across a restart', async () => {
  const dataDir = newDataDir();
  const { store } = await openTestStore({ dataDir });
  const [first, second] = [fresh(), fresh()];
  expect(await send(store, first, [shift('Day', 1)])).toEqual(standing(null));
  await store.write([named('nameTaken', first)]);
  expect(await send(store, first, [shift('Day', 2)])).toEqual(standing(first.stream));
  expect(await send(store, second, [shift('Day', 3)])).toEqual(standing(first.stream));
  await store.write([refused(second)]);
  await store.close();
  const { store: again } = await openTestStore({ dataDir });
  expect(await again.receivedGateways()).toMatchObject([
    { stream: first.stream, refused: [{ stream: second.stream, since: START_AT, principal: PRINCIPAL }] },
  ]);
  expect(await send(again, second, [shift('Day', 4)])).toEqual(standing(first.stream, true));
  await again.write([named('nameGranted', second)]);
  expect(await send(again, second, [shift('Day', 5)])).toEqual(standing(second.stream));
  expect(await send(again, first, [shift('Day', 6)])).toEqual(standing(second.stream, true));
});

it('D-27 reports of shifts are kept as long as the shifts', async () => {
  const dataDir = newDataDir();
  const { store } = await openTestStore({ dataDir });
  const original = fresh();
  await send(store, original, [shift('Day', 5)]);
  await send(store, restarted(original), [shift('Day', 1)]);
  await store.close();
  const retention = { variableDays: 90, statusDays: 0, productionDays: 0, auditDays: 730 };
  const later = await openTestStore({ dataDir, wallMs: () => START_AT + 86_400_000, retention });
  expect(await later.store.retain()).toMatchObject({ state: 'done' });
  await later.store.write([named('nameGranted', original)]);
  expect(await partsOf(later.store)).toEqual({});
});
