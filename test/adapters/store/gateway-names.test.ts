import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { BatchFact } from '../../../src/domain/sync/batch.ts';
import { receivedMachineId } from '../../../src/domain/sync/received-id.ts';
import type { Store } from '../../../src/flows/ports.ts';
import type { BatchVerdict } from '../../../src/flows/receive-ports.ts';
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

/** How the next batch stands, and what becomes of it where it is applied all the same. */
async function send(store: Store, sender: BatchSender, facts: readonly BatchFact[]): Promise<BatchVerdict> {
  const batch = sender.queue(facts).batch();
  if (batch === null) throw new Error('nothing waits');
  const reading = await store.received.readBatch({ bytes: batch.gzip, isGzip: true });
  if (reading.kind === 'refused') throw new Error(reading.reason);
  const verdict = await store.received.judgeBatch(reading.ticket);
  await store.received.applyBatch(reading.ticket, { refused: [], principal: PRINCIPAL, at: START_AT });
  sender.acknowledged(batch.digest);
  return verdict;
}

async function partsOf(store: Store): Promise<Readonly<Record<string, number>>> {
  const shifts = await store.shifts(receivedMachineId(GATEWAY_ID, RF1), SHIFT_DATE);
  return Object.fromEntries(shifts.map(({ shiftName, totals }) => [shiftName, totals.goodParts]));
}

function standing(holder: string | null, refused: { isRefused?: boolean; isHolderRefused?: boolean } = {}) {
  return { kind: 'next', standing: { isRefused: false, isHolderRefused: false, ...refused, holder } };
}

it('D-27 a name is held by the stream that took it last; who is refused it stays so, across a restart', async () => {
  const dataDir = newDataDir();
  const { store } = await openTestStore({ dataDir });
  const [first, second] = [new BatchSender(GATEWAY_ID, randomUUID), new BatchSender(GATEWAY_ID, randomUUID)];
  expect(await send(store, first, [shift('Day', 1)])).toEqual(standing(null));
  expect(await send(store, first, [shift('Day', 2)])).toEqual(standing(null));
  expect(await send(store, second, [shift('Day', 3)])).toEqual(standing(first.stream));
  expect(await send(store, second, [shift('Day', 4)])).toEqual(standing(null));
  expect(await send(store, first, [shift('Day', 5)])).toEqual(standing(second.stream));
  const names = { gatewayId: GATEWAY_ID, stream: second.stream, at: START_AT };
  await store.write([{ kind: 'nameRefused', ...names, principal: PRINCIPAL }]);
  await store.close();
  const { store: again } = await openTestStore({ dataDir });
  expect(await again.received.receivedGateways()).toMatchObject([
    { stream: first.stream, refused: [{ stream: second.stream, since: START_AT, principal: PRINCIPAL }] },
  ]);
  expect(await send(again, second, [shift('Day', 6)])).toEqual(standing(first.stream, { isRefused: true }));
  await again.write([{ kind: 'nameGranted', ...names, stream: first.stream }]);
  expect(await send(again, first, [shift('Day', 7)])).toEqual(standing(second.stream, { isHolderRefused: true }));
});

it('D-27 of shifts that a copy overwrote, what the one said that is granted the name is shown again, and no others', async () => {
  const { store } = await openTestStore();
  const [original, copy] = [new BatchSender(GATEWAY_ID, randomUUID), new BatchSender(GATEWAY_ID, randomUUID)];
  await send(store, original, [shift('Early', 500), shift('Late', 70)]);
  await send(store, copy, [shift('Early', 1), shift('Night', 9)]);
  expect(await partsOf(store)).toEqual({ Early: 1, Late: 70, Night: 9 });
  const granted = { kind: 'nameGranted', gatewayId: GATEWAY_ID, stream: original.stream, at: START_AT } as const;
  await store.write([granted]);
  await store.write([granted]);
  expect(await partsOf(store)).toEqual({ Early: 500, Late: 70, Night: 9 });
  expect(await store.received.receivedGateways()).toMatchObject([{ refused: [{ stream: copy.stream }] }]);
});

it('D-27 of a gateway the 16 streams are remembered that were refused last', async () => {
  const { store } = await openTestStore();
  await send(store, new BatchSender(GATEWAY_ID, () => 'own'), [shift('Day', 1)]);
  for (let count = 1; count <= 20; count += 1) {
    const refused = { kind: 'nameRefused', gatewayId: GATEWAY_ID, principal: PRINCIPAL } as const;
    await store.write([{ ...refused, stream: `stream-${count}`, at: START_AT + count }]);
  }
  const [gateway] = await store.received.receivedGateways();
  expect(gateway?.refused.map(({ stream }) => stream)).toEqual(
    Array.from({ length: 16 }, (_, place) => `stream-${place + 5}`),
  );
});

it('D-27 what streams said of shifts is kept as long as the shifts are', async () => {
  const old = newDataDir();
  const { store } = await openTestStore({ dataDir: old });
  const [original, copy] = [new BatchSender(GATEWAY_ID, randomUUID), new BatchSender(GATEWAY_ID, randomUUID)];
  await send(store, original, [shift('Day', 5)]);
  await send(store, copy, [shift('Day', 1)]);
  await store.close();
  const later = await openTestStore({
    dataDir: old,
    wallMs: () => START_AT + 86_400_000,
    retention: { variableDays: 90, statusDays: 0 },
  });
  expect(await later.store.retain()).toMatchObject({ state: 'done' });
  await later.store.write([{ kind: 'nameGranted', gatewayId: GATEWAY_ID, stream: original.stream, at: START_AT }]);
  expect(await partsOf(later.store)).toEqual({});
});
