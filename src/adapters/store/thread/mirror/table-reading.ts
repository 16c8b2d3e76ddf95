import { setImmediate as nextTurn } from 'node:timers/promises';
import { lossesAfter, type Misses } from '../../../../domain/mirror/losses.ts';
import type { MachinePlace, MirrorChange, PageRead, ReadingScope } from '../../../../flows/mirror/mirror-ports.ts';
import { Slice } from '../../../../runtime/slice.ts';
import { type Connection, transact } from '../database/connection.ts';
import type { LocalChanges, ReadingWatch } from './local-changes.ts';
import { digestOf, PageMemory } from './page-memory.ts';
import { recordsOf } from './record-list.ts';
import type { StagedRows } from './staged-rows.ts';
import { machinesByPlace, type StagedRow, type TableKind } from './table-kinds.ts';

/** Rows in a transaction, which takes about 15 ms. Commits behind it wait so long. */
const ROWS_PER_TRANSACTION = 1_000;
/** With more changes than this, programs that follow the changes are told that many records changed (D-60). */
const MAX_NAMED = 500;
/** Changes that are announced one by one. */
const MAX_TOLD = 200;
/** Refused records of one answer that diagnostics names. */
const MAX_REFUSALS_TOLD = 5;
const KEYS_PER_READ = 500;

/** A reading under way. */
interface Reading {
  readonly watch: ReadingWatch;
  /** The numbers of the rows whose records the server has. */
  readonly seen: Set<number>;
  readonly digests: Set<string>;
  readonly memory: PageMemory;
  place: number;
}

interface StoredKey {
  readonly slot: number;
  readonly id: string;
}

/**
 * Reads pages of coils or tasks of the central server, compares them with the rows here and writes the differences:
 * staged page by page, and applied when all pages are there. An unfinished reading changes nothing (UP-07).
 */
export class TableReading {
  readonly #table: TableKind;
  readonly #connection: Connection;
  readonly #local: LocalChanges;
  readonly #staged: StagedRows;
  readonly #memories: Readonly<Record<ReadingScope, PageMemory>> = {
    all: new PageMemory(),
    incomplete: new PageMemory(),
  };
  readonly #keysAfter;
  readonly #remove;
  #misses: Misses = new Map();
  #machines = '';
  #reading: Reading | null = null;

  constructor(table: TableKind, connection: Connection, local: LocalChanges, staged: StagedRows) {
    this.#table = table;
    this.#connection = connection;
    this.#local = local;
    this.#staged = staged;
    this.#keysAfter = connection.prepare<[string, number], StoredKey>(
      `SELECT id AS slot, ${table.key} AS id FROM ${table.prefix} WHERE ${table.key} > ? ORDER BY ${table.key} LIMIT ?`,
    );
    this.#remove = connection.prepare<[string]>(
      `DELETE FROM ${table.prefix} WHERE ${table.key} IN (SELECT value FROM json_each(?))`,
    );
  }

  async begin(scope: ReadingScope): Promise<void> {
    this.#reading = null;
    await this.#staged.clear(this.#table.kind);
    const watch = this.#local.watch(this.#table.prefix);
    this.#reading = { watch, seen: new Set(), digests: new Set(), memory: this.#memories[scope], place: 0 };
  }

  /** `bytes` is null if the server says that the page is unchanged. */
  async page(bytes: Uint8Array | null, machines: readonly MachinePlace[]): Promise<PageRead> {
    const reading = this.#requireReading();
    this.#checkMemories(machines);
    const known = reading.memory.find(reading.place);
    const digest = bytes === null ? known?.digest : digestOf(bytes);
    if (digest === undefined) return { kind: 'forgotten' };
    if (known?.digest === digest) {
      if (reading.digests.has(digest)) return { kind: 'repeated', records: known.records };
      for (const slot of known.slots) reading.seen.add(slot);
      this.#turnPage(reading, digest);
      return { kind: 'read', records: known.records, refused: [] };
    }
    const list = bytes === null ? null : recordsOf(bytes);
    if (list === null || !list.ok) return { kind: 'fault', detail: list?.fault ?? 'no page' };
    if (list.records.length > 0 && reading.digests.has(digest))
      return { kind: 'repeated', records: list.records.length };
    const refused = await this.#stage(reading, digest, list.records, machines);
    this.#turnPage(reading, digest);
    return { kind: 'read', records: list.records.length, refused };
  }

  /**
   * Writes the differences. Up to 1,000 are written in one transaction, so that clients never see a part of them. More are
   * written in several, because commits wait for each.
   */
  async apply(at: number, isComplete: boolean): Promise<MirrorChange> {
    const reading = this.#requireReading();
    const { missing, held, present } = isComplete ? await this.#missing(reading) : NOTHING_MISSING;
    const losses = isComplete ? lossesAfter(this.#misses, missing, present) : { misses: this.#misses, gone: [] };
    const changed = await this.#write(reading, losses.gone, at);
    // A new row may get the number of a removed one, by which a page memory knows that one.
    if (losses.gone.length > 0) this.#forgetPages();
    this.#misses = losses.misses;
    this.#reading = null;
    return {
      changed: changed.slice(0, MAX_TOLD),
      changes: changed.length,
      missing: missing.length + held - losses.gone.length,
    };
  }

  /** Writes one record as the server has it. Gives whether that changed anything. */
  one(id: string, bytes: Uint8Array, machines: readonly MachinePlace[]): boolean {
    if (this.#local.watchOne().isNewer(`${this.#table.prefix}:${id}`)) return false;
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    const read = this.#table.read(value, machinesByPlace(machines));
    if (read.kind !== 'differs' || read.row.id !== id) return false;
    transact(this.#connection, () => {
      this.#staged.put(this.#table.kind, read.row);
      this.#staged.take(this.#table, [id]);
      this.#table.noteChange(id);
    });
    return true;
  }

  /** Gives the ids whose records were not in the reading. */
  unread(ids: readonly string[], limit: number): readonly string[] {
    const reading = this.#requireReading();
    const unread = ids.filter((id) => {
      const slot = this.#slotOf(id);
      return slot !== undefined && !reading.seen.has(slot) && !reading.watch.isNewer(`${this.#table.prefix}:${id}`);
    });
    return unread.slice(0, limit);
  }

  #requireReading(): Reading {
    if (this.#reading === null) throw new Error(`no reading of ${this.#table.kind} is under way`);
    return this.#reading;
  }

  #checkMemories(machines: readonly MachinePlace[]): void {
    const places = JSON.stringify(machines);
    if (places !== this.#machines) this.#forgetPages();
    this.#machines = places;
    const changes = this.#local.countOf(this.#table.prefix);
    for (const memory of Object.values(this.#memories)) memory.checkChanges(changes);
  }

  #forgetPages(): void {
    for (const memory of Object.values(this.#memories)) memory.checkChanges(-1);
  }

  #turnPage(reading: Reading, digest: string): void {
    reading.digests.add(digest);
    reading.place += 1;
  }

  /** Gives the faults of the records that are left as they are. */
  async #stage(
    reading: Reading,
    digest: string,
    values: readonly unknown[],
    machines: readonly MachinePlace[],
  ): Promise<readonly string[]> {
    const machineAt = machinesByPlace(machines);
    const slots: number[] = [];
    const rows: StagedRow[] = [];
    const refused: string[] = [];
    const slice = new Slice();
    for (const value of values) {
      const read = this.#table.read(value, machineAt);
      if (read.kind === 'notOurs') continue;
      if (read.slot !== null) slots.push(read.slot);
      if (read.kind === 'differs') rows.push(read.row);
      if (read.kind === 'refused') refused.push(read.fault);
      await slice.pause();
    }
    for (const slot of slots) reading.seen.add(slot);
    await this.#staged.putAll(this.#table.kind, rows);
    const isSettled = rows.length === 0 && refused.length === 0;
    const page = { digest, records: values.length, slots: Uint32Array.from(slots) };
    reading.memory.keep(reading.place, isSettled ? page : null);
    return refused.slice(0, MAX_REFUSALS_TOLD);
  }

  /** `held` counts the records that the reading lacked and that are newer here. */
  async #missing({ seen, watch }: Reading): Promise<Missing> {
    const missing: string[] = [];
    const slice = new Slice();
    let present = 0;
    let held = 0;
    for (let last = ''; ; ) {
      const keys = this.#keysAfter.all(last, KEYS_PER_READ);
      present += keys.length;
      for (const { slot, id } of keys) {
        if (seen.has(slot)) continue;
        if (watch.isNewer(`${this.#table.prefix}:${id}`)) held += 1;
        else missing.push(id);
      }
      last = keys.at(-1)?.id ?? '';
      if (keys.length < KEYS_PER_READ) return { missing, held, present };
      await slice.pause();
    }
  }

  /** Gives the ids of the records that were changed or removed. Those that are newer here stay as they are. */
  async #write({ watch }: Reading, gone: readonly string[], at: number): Promise<readonly string[]> {
    const { kind, prefix } = this.#table;
    const isMany = this.#staged.count(kind) + gone.length > MAX_NAMED;
    const isOlder = (id: string) => !watch.isNewer(`${prefix}:${id}`);
    const changed: string[] = [];
    for (let left = gone; ; await nextTurn()) {
      const staged = this.#staged.ids(kind, ROWS_PER_TRANSACTION);
      const leaving = left.slice(0, ROWS_PER_TRANSACTION - staged.length);
      left = left.slice(leaving.length);
      const isLast = staged.length < ROWS_PER_TRANSACTION && left.length === 0;
      const taken = staged.filter(isOlder);
      const removed = leaving.filter(isOlder);
      transact(this.#connection, () => {
        if (isMany) this.#table.noteReplacement();
        else this.#noteEach(taken, removed);
        this.#staged.take(this.#table, taken);
        this.#staged.drop(kind, staged);
        this.#remove.run(JSON.stringify(removed));
        if (isLast) this.#staged.note(kind, at);
      });
      changed.push(...taken, ...removed);
      if (isLast) return changed;
    }
  }

  #slotOf(id: string): number | undefined {
    return this.#connection
      .prepare<[string], number>(`SELECT id FROM ${this.#table.prefix} WHERE ${this.#table.key} = ?`)
      .pluck()
      .get(id);
  }

  #noteEach(changed: readonly string[], removed: readonly string[]): void {
    for (const id of changed) this.#table.noteChange(id);
    for (const id of removed) {
      const slot = this.#slotOf(id);
      if (slot !== undefined) this.#table.noteRemoval(id, slot);
    }
  }
}

interface Missing {
  readonly missing: readonly string[];
  readonly held: number;
  readonly present: number;
}

const NOTHING_MISSING: Missing = { missing: [], held: 0, present: 0 };
