import type { Coil } from '../../../../domain/plant/plant.ts';
import type { LegacyWrite, Seed } from '../../../../flows/warehouse/warehouse-ports.ts';
import type { WireRecord } from '../../protocol.ts';
import { ChangeFeed } from '../change-feed.ts';
import type { Connection } from '../database/connection.ts';
import { readableJson } from '../database/damaged-records.ts';
import { insertInto } from '../database/insert-into.ts';
import { legacyWrite } from '../database/schema/warehouse.ts';
import { LocalChanges } from '../mirror/local-changes.ts';
import { coilJson } from './coil-json.ts';
import { CoilQueries } from './coil-queries.ts';
import { CoilRows } from './coil-rows.ts';
import { seededCoil } from './seeding.ts';
import { TaskQueries } from './task-queries.ts';
import { TaskRows } from './task-rows.ts';

/** The warehouse in the store, put together: rows on disk, and their indexes. */
export interface Warehouse {
  readonly coils: CoilRows;
  readonly tasks: TaskRows;
  readonly coilQueries: CoilQueries;
  readonly taskQueries: TaskQueries;
  readonly changeFeed: ChangeFeed;
  readonly legacyWrites: LegacyWriteRows;
  readonly preparedSeeds: PreparedSeeds;
  /** Records that the mirror does not touch. */
  readonly localChanges: LocalChanges;
}

/** `isForwarding` false: there is no central server to mirror. */
export function openWarehouseTables(connection: Connection, isForwarding: boolean): Warehouse {
  const changeFeed = new ChangeFeed(connection);
  const coils = new CoilRows(connection);
  const tasks = new TaskRows(connection);
  return {
    coils,
    tasks,
    coilQueries: new CoilQueries(coils, changeFeed),
    taskQueries: new TaskQueries(tasks, changeFeed),
    changeFeed,
    legacyWrites: new LegacyWriteRows(connection),
    preparedSeeds: new PreparedSeeds(coils),
    localChanges: new LocalChanges(connection, isForwarding),
  };
}

/** Writes to the legacy system that have begun and are not settled (D-16). */
export class LegacyWriteRows {
  readonly #open;
  readonly #begin;
  readonly #settle;

  constructor(connection: Connection) {
    this.#open = connection
      .prepare<[], string>('SELECT json FROM legacy_write ORDER BY started_at, operation_id')
      .pluck();
    this.#begin = insertInto(connection, legacyWrite, { or: 'REPLACE' });
    this.#settle = connection.prepare('DELETE FROM legacy_write WHERE operation_id = ?');
  }

  /** Oldest first. A damaged one is left out and stays stored; `restoreState` reports it. */
  open(): readonly LegacyWrite[] {
    return this.#open
      .all()
      .map(readableJson)
      .filter((write): write is LegacyWrite => typeof write === 'object' && write !== null);
  }

  begin(write: LegacyWrite): void {
    this.#begin({ operationId: write.operationId, startedAt: write.startedAt, json: JSON.stringify(write) });
  }

  settle(operationId: string): void {
    this.#settle.run(operationId);
  }
}

/** A row after a seed. `of` is the row that was stored at the preparation, or null if there was none. */
interface Prepared {
  readonly of: string | null;
  readonly json: string;
}

/**
 * The changes that seeds of coils would make. A plant file may bring tens of thousands, in parts, written in one
 * transaction: most of the work is done when the parts arrive, so that the transaction delays later ones less.
 */
export class PreparedSeeds {
  readonly #coils: CoilRows;
  readonly #prepared = new WeakMap<Seed<'coils'>, Prepared>();

  constructor(coils: CoilRows) {
    this.#coils = coils;
  }

  /** Throws the errors of the database. */
  prepare(records: readonly WireRecord[]): void {
    for (const record of records) {
      if (record.kind !== 'warehouseSeed' || record.seed.of !== 'coils') continue;
      const { seed } = record;
      const of = this.#coils.stored(seed.entry.coilId)?.json ?? null;
      this.#prepared.set(seed, { of, json: seededJson(seed, of) });
    }
  }

  /** The row that the seed makes of the stored row, which may have changed since the preparation. */
  row(seed: Seed<'coils'>): string {
    const stored = this.#coils.stored(seed.entry.coilId)?.json ?? null;
    const prepared = this.#prepared.get(seed);
    this.#prepared.delete(seed);
    return prepared?.of === stored ? prepared.json : seededJson(seed, stored);
  }
}

function seededJson(seed: Seed<'coils'>, stored: string | null): string {
  // Only CoilRows writes it. A damaged row is replaced by the seed.
  return coilJson(seededCoil(seed, stored === null ? undefined : (readableJson(stored) as Coil | undefined)));
}
