import { parse } from 'yaml';
import { EVERY_ORDER } from '../../../../../src/adapters/store/thread/orders/order-queries.ts';
import type { StoreCore } from '../../../../../src/adapters/store/thread/store-core.ts';
import type { Coil } from '../../../../../src/domain/plant/plant.ts';
import { taskView } from '../../../../../src/domain/warehouse/task.ts';
import type {
  MachinePlace,
  MirrorChange,
  MirroredTable,
  ReadingScope,
} from '../../../../../src/flows/mirror/mirror-ports.ts';
import { coilOf, taskOf } from '../../../../domain/warehouse/warehouse-samples.ts';
import { newDataDir, openTestCore, type TestCore } from '../../open-test-store.ts';

const FORWARDING = { maxBytes: 1e9, gatewayId: 'g1', server: 'central' };

export interface ShownRow {
  readonly orderCode: string | null;
  readonly documentIDs: readonly string[];
  readonly pieces: number;
}

/** Orders in the store of a gateway with a central server, step by step. */
export class OrdersUnderTest {
  core: TestCore;
  readonly #dataDir = newDataDir();
  #acts = 0;

  constructor() {
    this.core = openTestCore(this.#dataDir, 'run-0', false, FORWARDING);
  }

  restart(forwarding: typeof FORWARDING | null = FORWARDING): void {
    this.core.close();
    this.#acts += 1;
    this.core = openTestCore(this.#dataDir, `run-${this.#acts}`, false, forwarding);
  }

  /** Adds or replaces an order, and queues that for the server unless it comes from a plant file. */
  put(orderKey: string, order: object, isQueued = true): void {
    const json = JSON.stringify({ products: [], ...order });
    this.core.write([
      { kind: 'orderPut', order: { orderKey, json, at: 0, principal: 'erp' } },
      ...(isQueued ? [this.#act({ type: 'orderPut', orderKey, json, isNew: false })] : []),
    ]);
  }

  remove(orderKey: string): void {
    const act = this.#act({ type: 'orderRemoved', orderKey, ordId: orderKey });
    this.core.write([{ kind: 'orderRemoved', orderKey }, act]);
  }

  /** The server takes the oldest act that is queued, if there is one; gives it. */
  acknowledge() {
    const head = this.#head();
    if (head === undefined) return null;
    this.core.write([{ kind: 'rowsSent', seqs: [head.seq] }]);
    return head.queued;
  }

  refuse(): void {
    const head = this.#head();
    if (head !== undefined) this.core.write([{ kind: 'rowSetAside', seq: head.seq, reason: 'no', at: 0 }]);
  }

  retry(): void {
    for (const { id } of this.core.forwarding.setAside.newest(100)) this.core.write([{ kind: 'setAsideRetried', id }]);
  }

  begin(): Promise<void> {
    return this.core.mirror.orders.begin();
  }

  apply(yaml: string, at = 0): Promise<unknown> {
    return this.core.mirror.orders.read(new TextEncoder().encode(yaml), at);
  }

  async read(yaml: string, at = 0): Promise<void> {
    await this.begin();
    await this.apply(yaml, at);
  }

  async rows(): Promise<readonly ShownRow[]> {
    const summary = await this.core.orders.summary(EVERY_ORDER);
    return parse(new TextDecoder().decode(summary?.bytes));
  }

  async codes(): Promise<readonly unknown[]> {
    return (await this.rows()).map(({ orderCode }) => orderCode);
  }

  summaryOf(orderKey: string): unknown {
    return parse(new TextDecoder().decode(this.core.orders.summaryOf(orderKey).bytes));
  }

  /** The number of orders for which our own state counts. */
  get own(): unknown {
    return this.core.connection.prepare('SELECT count(*) FROM own_order').pluck().get();
  }

  #head() {
    return this.core.forwarding.entityQueues
      .list([], 1)
      .map(({ seq, item }) => ({ seq, queued: item.kind === 'act' ? item.queued : null }))
      .at(0);
  }

  #act(act: Parameters<typeof operationRecord>[0]) {
    this.#acts += 1;
    return operationRecord(act, this.#acts);
  }
}

type OrderOperation =
  | { readonly type: 'orderPut'; readonly orderKey: string; readonly json: string; readonly isNew: boolean }
  | { readonly type: 'orderRemoved'; readonly orderKey: string; readonly ordId: string };

function operationRecord(act: OrderOperation, number: number) {
  return { kind: 'act', queued: { operationId: `op-${number}`, at: 0, principal: 'erp', act } } as const;
}

const TAKE = 1_000;
export const MACHINES: readonly MachinePlace[] = [{ machineId: 'RF-01', location: 'RF-01' }];

export function bytesOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

export function coilsOf(count: number, overrides: Partial<Coil> = {}): readonly Coil[] {
  return Array.from({ length: count }, (_, index) => coilOf(`C-${String(index).padStart(6, '0')}`, overrides));
}

/** A task as a central server lists it. */
export function listedTask(overrides: Parameters<typeof taskOf>[0] = {}) {
  return taskView(taskOf(overrides));
}

/** Begins a reading and takes all pages of these records. */
export async function readAll(
  core: StoreCore,
  kind: MirroredTable,
  records: readonly unknown[],
  scope: ReadingScope = 'all',
): Promise<void> {
  const table = core.mirror.tables[kind];
  await table.begin(scope);
  for (let skip = 0; skip <= records.length; skip += TAKE) {
    const read = await table.page(bytesOf(records.slice(skip, skip + TAKE)), MACHINES);
    if (read.kind !== 'read') throw new Error(JSON.stringify(read));
  }
}

/** One whole reading, written. */
export async function mirrorAll(
  core: StoreCore,
  kind: MirroredTable,
  records: readonly unknown[],
): Promise<MirrorChange> {
  await readAll(core, kind, records);
  return core.mirror.tables[kind].apply(1_000, true);
}
