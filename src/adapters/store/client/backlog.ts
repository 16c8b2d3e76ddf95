import type { Operation } from '../../../domain/sync/operation.ts';
import type { StoreFact, WireRecord } from '../protocol.ts';

/** Shedding goes on down to this part of the bound, so that each pass over the backlog makes room for many records. */
const SHED_TO_RATIO = 7 / 8;

export interface Settle {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Records that are committed together. With `settle` a caller waits for the commit, so the entry is never shed. */
export interface Entry {
  readonly records: Iterable<StoreFact>;
  readonly count: number;
  readonly bytes: number;
  readonly queuedAt: number;
  readonly settle: Settle | null;
  /** Its place among all entries: later ones have greater numbers. */
  order: number;
}

/**
 * The waiting records of one machine: the newest of each key. They are committed together, so that no counter is kept
 * without its sum (D-03).
 */
interface MachineEntry extends Entry {
  readonly machineId: string;
  readonly byKey: Map<string, MachineRecord>;
  count: number;
  bytes: number;
}

/** Records that were handed over and are not on their way to the store thread yet, in order; bounded in bytes. */
export class Backlog {
  readonly #maxBytes: number;
  #waiting = new Set<Entry>();
  /** The entries among them without a waiting caller, so that a backlog of awaited ones is not searched for them. */
  #sheddable = new Set<Entry>();
  #openMachines = new Map<string, MachineEntry>();
  #records = 0;
  #bytes = 0;
  #settles = 0;
  #shedRecords = 0;
  #lastOrder = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get records(): number {
    return this.#records;
  }
  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }
  get bytes(): number {
    return this.#bytes;
  }
  get shedRecords(): number {
    return this.#shedRecords;
  }
  /** Whether a caller waits for the commit of an entry. */
  get awaited(): boolean {
    return this.#settles > 0;
  }
  get oldestQueuedAt(): number | null {
    for (const entry of this.#waiting) return entry.queuedAt;
    return null;
  }

  /** The place of the oldest entry; without entries greater than every place. */
  get oldestOrder(): number {
    for (const entry of this.#waiting) return entry.order;
    return Number.POSITIVE_INFINITY;
  }

  /** Freezes the order of all entries so far, and gives the sequence number of the newest. */
  seal(): number {
    this.#openMachines.clear();
    return this.#lastOrder;
  }

  /** Adds records that newer facts may replace, and that may be shed beyond the bound. */
  add(records: readonly StoreFact[], queuedAt: number): void {
    const ofMachines = records.map(machineRecord);
    if (ofMachines.some((record) => record === null)) {
      this.#append(records, queuedAt, null);
      return;
    }
    let entry: MachineEntry | null = null;
    for (const record of ofMachines) {
      if (record === null) continue;
      const { machineId, key } = coalescingKey(record);
      if (entry?.machineId !== machineId) {
        if (entry !== null) this.#insert(entry);
        entry = this.#reopen(machineId, queuedAt);
      }
      const replaced = entry.byKey.get(key);
      entry.bytes += recordBytes(record) - (replaced === undefined ? 0 : recordBytes(replaced));
      // The newest record stands last: a repeated status must not be sent before the end of an earlier boot.
      entry.byKey.delete(key);
      entry.byKey.set(key, record);
      entry.count = entry.byKey.size;
    }
    if (entry !== null) this.#insert(entry);
  }

  /** Adds records that are committed as a whole and never shed. */
  addAwaited(records: readonly StoreFact[], queuedAt: number, settle: Settle): void {
    this.#append(records, queuedAt, settle);
  }

  /** Counts records that found no room or could not be stored. */
  countShed(records: number): void {
    this.#shedRecords += records;
  }

  /**
   * Makes room for `bytes` beside the `elsewhereBytes` in flight by shedding the oldest entries. Gives false if awaited
   * entries fill the bound.
   */
  makeRoom(bytes: number, elsewhereBytes: number): boolean {
    if (this.#bytes + elsewhereBytes + bytes <= this.#maxBytes) return true;
    const target = Math.max(0, this.#maxBytes * SHED_TO_RATIO - elsewhereBytes - bytes);
    for (const entry of this.#sheddable) {
      if (this.#bytes <= target) break;
      this.#remove(entry);
      this.#shedRecords += entry.count;
    }
    return this.#bytes + elsewhereBytes + bytes <= this.#maxBytes;
  }

  /** Takes the oldest entries for one batch, up to either limit but at least one. */
  take(maxRecords: number, maxBytes: number): Entry[] {
    const taken: Entry[] = [];
    let records = 0;
    let bytes = 0;
    for (const entry of this.#waiting) {
      if (taken.length > 0 && (records + entry.count > maxRecords || bytes + entry.bytes > maxBytes)) break;
      taken.push(entry);
      records += entry.count;
      bytes += entry.bytes;
      this.#remove(entry);
    }
    if (this.#waiting.size === 0) this.#startAfresh();
    return taken;
  }

  /**
   * A Set that is filled and emptied again and again gets one table after the other, each held by the one before. Once
   * one table is old, all records that ever waited stay in memory until the next large garbage collection.
   */
  #startAfresh(): void {
    this.#waiting = new Set();
    this.#sheddable = new Set();
    this.#openMachines = new Map();
  }

  #append(records: readonly StoreFact[], queuedAt: number, settle: Settle | null): void {
    // A machine's entry moves behind later ones when it is renewed. It must not move past an entry that is also about
    // machines.
    if (records.some(reordersMachines)) this.#openMachines.clear();
    const bytes = records.reduce((sum, record) => sum + recordBytes(record), 0);
    this.#insert({ records, count: records.length, bytes, queuedAt, settle, order: 0 });
  }

  /** The machine's entry, taken out to be renewed and inserted again. */
  #reopen(machineId: string, queuedAt: number): MachineEntry {
    const open = this.#openMachines.get(machineId);
    if (open !== undefined) {
      this.#remove(open);
      return open;
    }
    const byKey = new Map<string, MachineRecord>();
    const records = { [Symbol.iterator]: () => byKey.values() };
    return { byKey, records, count: 0, bytes: 0, queuedAt, settle: null, order: 0, machineId };
  }

  #insert(entry: Entry): void {
    this.#lastOrder += 1;
    entry.order = this.#lastOrder;
    this.#waiting.add(entry);
    this.#records += entry.count;
    this.#bytes += entry.bytes;
    if (entry.settle === null) this.#sheddable.add(entry);
    else this.#settles += 1;
    if (isMachineEntry(entry)) this.#openMachines.set(entry.machineId, entry);
  }

  #remove(entry: Entry): void {
    this.#waiting.delete(entry);
    this.#records -= entry.count;
    this.#bytes -= entry.bytes;
    if (entry.settle === null) this.#sheddable.delete(entry);
    else this.#settles -= 1;
    if (isMachineEntry(entry) && this.#openMachines.get(entry.machineId) === entry) {
      this.#openMachines.delete(entry.machineId);
    }
  }
}

function isMachineEntry(entry: Entry): entry is MachineEntry {
  return 'byKey' in entry;
}

/** Properties of a record that the store needs beside its content: whether a newer one replaces it, and how large it is. */

/** A fact about one machine: only the newest one of a key counts. */
type MachineRecord = Extract<
  StoreFact,
  {
    kind:
      | 'machineState'
      | 'shift'
      | 'downtime'
      | 'span'
      | 'workSession'
      | 'anomaly'
      | 'catchUp'
      | 'part'
      | 'statusSample';
  }
>;

const RECORD_BYTES = 200;
const POINT_BYTES = 48;
const FEATURE_BYTES = 100;
const TELLING_BYTES = 200;
const SEED_BYTES = 400;
const BYTES_PER_CHARACTER = 1;

function machineRecord(record: StoreFact): MachineRecord | null {
  switch (record.kind) {
    case 'machineState':
    case 'shift':
    case 'downtime':
    case 'span':
    case 'workSession':
    case 'anomaly':
    case 'catchUp':
    case 'part':
    case 'statusSample':
      return record;
    default:
      return null;
  }
}

/** Whether the order of this record among those of machines matters. */
function reordersMachines(record: StoreFact): boolean {
  return record.kind === 'downtimeRemoved' || record.kind === 'clockCorrected' || machineRecord(record) !== null;
}

/** The machine of a record, and the key under which a newer record of that machine replaces it. */
function coalescingKey(record: MachineRecord): { readonly machineId: string; readonly key: string } {
  switch (record.kind) {
    case 'machineState':
    case 'part':
      return { machineId: record.machineId, key: record.kind };
    case 'shift':
      return { machineId: record.shift.machineId, key: `shift ${record.shift.shiftDate} ${record.shift.shiftName}` };
    case 'downtime':
      return { machineId: record.downtime.machineId, key: `downtime ${record.downtime.downtimeId}` };
    case 'span':
      return { machineId: record.span.machineId, key: `span ${record.span.spanId}` };
    case 'workSession':
      return { machineId: record.session.machineId, key: `session ${record.session.sessionId}` };
    case 'anomaly':
      return { machineId: record.anomaly.machineId, key: `anomaly ${record.anomaly.at} ${record.anomaly.counter}` };
    case 'catchUp':
      return { machineId: record.catchUp.shift.machineId, key: `catchUp ${record.catchUp.at}` };
    case 'statusSample': {
      const { machineId, why, json } = record.sample;
      // Counters are cumulative, so a newer status replaces one that was only repeated. All others are needed (D-26).
      return { machineId, key: why === 'repeat' ? why : `${why} ${json}` };
    }
  }
}

/** The memory of a record on its way to the thread; points travel apart from it. */
export function wireBytes(record: WireRecord): number {
  return record.kind === 'points' ? RECORD_BYTES : recordBytes(record);
}

/** The approximate memory of a waiting record, in bytes. */
export function recordBytes(record: StoreFact): number {
  switch (record.kind) {
    case 'machineState':
      return RECORD_BYTES + record.json.length * BYTES_PER_CHARACTER;
    case 'plant':
      return RECORD_BYTES + (record.row.json?.length ?? 0) * BYTES_PER_CHARACTER;
    case 'orderPut':
      return RECORD_BYTES + record.order.json.length * BYTES_PER_CHARACTER;
    case 'profile':
      return RECORD_BYTES + record.profile.features.length * FEATURE_BYTES + (record.thumbnail?.length ?? 0);
    case 'variables':
      return RECORD_BYTES + record.points.length * POINT_BYTES;
    case 'warehouseSeed':
      return RECORD_BYTES + SEED_BYTES;
    case 'act':
      return RECORD_BYTES + operationBytes(record.queued.act);
    case 'alert':
      return RECORD_BYTES + (record.alert.owed.length + record.alert.told.length) * TELLING_BYTES;
    case 'alertMessage':
    case 'alertSetting':
      return RECORD_BYTES + (record.json?.length ?? 0) * BYTES_PER_CHARACTER;
    case 'audit':
      return RECORD_BYTES + (record.entry.before?.length ?? 0) + (record.entry.after?.length ?? 0);
    case 'statusSample':
      return RECORD_BYTES + record.sample.json.length * BYTES_PER_CHARACTER;
    case 'brokerPut':
      return RECORD_BYTES + record.row.key.length * BYTES_PER_CHARACTER + record.row.value.byteLength;
    default:
      return RECORD_BYTES;
  }
}

function operationBytes(operation: Operation): number {
  if (operation.type === 'orderPut') return operation.json.length * BYTES_PER_CHARACTER;
  return operation.type === 'profilePut' ? operation.profile.features.length * FEATURE_BYTES : 0;
}
