import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { isGatewayRecord } from '../../../src/central/received/gateway-writer.ts';
import { KeyedMutex } from '../../../src/flows/keyed-mutex.ts';
import { BatchReceiver } from '../../../src/flows/receive/batch-receiver.ts';
import type { GatewayContact } from '../../../src/flows/receive/receive-ports.ts';
import { endPostgresServer, STORES, type TestedStore } from '../../central/central-under-test.ts';
import { statusFact } from '../../central/reporting-gateways.ts';
import { BatchSender, NO_BUSINESS } from '../../fakes/batch-sender.ts';
import { HEALTHY } from '../../fakes/gateway-health.ts';
import { START_AT } from './open-test-store.ts';

afterAll(endPostgresServer);

/** Sends a batch with a key of a plant. */
async function send(store: TestedStore, sender: BatchSender, plantId: string, principal = 'sam'): Promise<void> {
  const receiver = new BatchReceiver({
    store: { ...methodsOf(store), write: (records) => store.write(records.filter(isGatewayRecord)) },
    operationsIn: () => NO_BUSINESS,
    incidents: { report: () => undefined },
    clock: { now: () => ({ monotonicMs: performance.now(), wallMs: START_AT }) },
    turns: new KeyedMutex('gateway', 8),
    exchange: null,
  });
  const batch = sender.queue([statusFact('{}')]).batch();
  await receiver.receive({ bytes: batch?.gzip ?? new Uint8Array(), isGzip: true }, { principal, plantId });
  if (batch !== null) sender.acknowledged(batch.digest);
}

function methodsOf(store: TestedStore) {
  return {
    readBatch: store.readBatch.bind(store),
    judgeBatch: store.judgeBatch.bind(store),
    applyBatch: store.applyBatch.bind(store),
    batchOperations: store.batchOperations.bind(store),
    dropBatch: store.dropBatch.bind(store),
  };
}

const fresh = (gatewayId: string) => new BatchSender(gatewayId, randomUUID);
const plantsIn = async (store: TestedStore) =>
  Object.fromEntries((await store.receivedGateways()).map(({ gatewayId, plantId }) => [gatewayId, plantId]));
const machinesIn = async (store: TestedStore, plantIds: readonly string[] | null, take = 10) =>
  (await store.receivedMachines({ gatewayId: null, plantIds, after: null, take })).map(({ gatewayId }) => gatewayId);

describe.each(STORES)('$name: D-108 a gateway', ({ open }) => {
  it('is in the plant of its key from its first batch on, and moves with its key', async () => {
    const store = await open();
    const [dayton, tulsa] = [fresh('dayton-01'), fresh('tulsa-01')];
    await send(store, dayton, 'default');
    await send(store, tulsa, 'tulsa');
    expect(await plantsIn(store)).toEqual({ 'dayton-01': 'default', 'tulsa-01': 'tulsa' });
    await send(store, dayton, 'dayton');
    expect(await plantsIn(store)).toEqual({ 'dayton-01': 'dayton', 'tulsa-01': 'tulsa' });
    expect(await store.receivedMachine('dayton-01', 'RF-01')).toMatchObject({ plantId: 'dayton' });
  });

  it.each<[string, Partial<GatewayContact>, string]>([
    ['a report moves', { plantId: 'dayton', report: { receivedAt: START_AT, health: HEALTHY } }, 'dayton'],
    ['a contact of which nothing is known leaves', { plantId: null }, 'tulsa'],
    ['another data directory does not move', { plantId: 'dayton', stream: 'another' }, 'tulsa'],
    ['a key of another principal does not move', { plantId: 'dayton', principal: 'eve' }, 'tulsa'],
  ])('is where its last contact says: %s it', async (_, contact, plantId) => {
    const store = await open();
    const sender = fresh('tulsa-01');
    await send(store, sender, 'tulsa');
    const { gatewayId, stream } = sender;
    const own = { gatewayId, stream, principal: 'sam', heardAt: START_AT + 1, report: null, plantId: null };
    await store.write([{ kind: 'gatewayContacts', contacts: [{ ...own, ...contact }] }]);
    expect(await plantsIn(store)).toEqual({ 'tulsa-01': plantId });
  });

  it('tells what it told last, also where an earlier contact was noted by a clock that was ahead (D-103)', async () => {
    const store = await open();
    const sender = fresh('tulsa-01');
    await send(store, sender, 'tulsa');
    const { gatewayId, stream } = sender;
    const now = Date.now();
    for (const [version, heardAt] of [
      ['ahead', now + 600_000],
      ['last', now],
    ] as const) {
      const report = { receivedAt: heardAt, health: { ...HEALTHY, version } };
      const contact = { gatewayId, stream, principal: 'sam', heardAt, report, plantId: null };
      await store.write([{ kind: 'gatewayContacts', contacts: [contact] }]);
    }
    const [kept] = await store.receivedGateways();
    expect(kept?.report).toContain('"last"');
  });

  it('stays where it is when a key of another principal claims its name', async () => {
    const store = await open();
    await send(store, fresh('tulsa-01'), 'tulsa');
    await expect(send(store, fresh('tulsa-01'), 'dayton', 'eve')).rejects.toMatchObject({ code: 'not-permitted' });
    expect(await plantsIn(store)).toEqual({ 'tulsa-01': 'tulsa' });
  });

  it('is in no list once it is retired, and in the plant of its new key when it comes again', async () => {
    const store = await open();
    await send(store, fresh('tulsa-01'), 'tulsa');
    await store.write([
      { kind: 'gatewayRenamed', gatewayId: 'tulsa-01', name: 'Tulsa' },
      { kind: 'gatewayRetired', gatewayId: 'tulsa-01' },
    ]);
    expect(await store.receivedGateways()).toEqual([]);
    await send(store, fresh('tulsa-01'), 'dayton', 'eve');
    expect(await store.receivedGateways()).toMatchObject([{ plantId: 'dayton', name: null, principal: 'eve' }]);
  });

  it('has machines that are found by its plant, page by page', async () => {
    const store = await open();
    for (const [gatewayId, plantId] of [
      ['a', 'dayton'],
      ['b', 'tulsa'],
      ['c', 'default'],
      ['d', 'tulsa'],
    ] as const)
      await send(store, fresh(gatewayId), plantId);
    expect(await machinesIn(store, null)).toEqual(['a', 'b', 'c', 'd']);
    expect(await machinesIn(store, ['tulsa'])).toEqual(['b', 'd']);
    expect(await machinesIn(store, ['tulsa', 'default'], 2)).toEqual(['b', 'c']);
    expect(await machinesIn(store, [])).toEqual([]);
    expect(await machinesIn(store, ['it’s "this"'])).toEqual([]);
  });
});
