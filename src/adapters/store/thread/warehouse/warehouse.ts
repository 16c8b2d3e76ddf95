import { ChangeFeed } from '../change-feed.ts';
import type { Connection } from '../database/connection.ts';
import { LocalChanges } from '../mirror/local-changes.ts';
import { CoilQueries } from './coil-queries.ts';
import { CoilRows } from './coil-rows.ts';
import { LegacyWrites } from './legacy-writes.ts';
import { PreparedSeeds } from './prepared-seeds.ts';
import { TaskQueries } from './task-queries.ts';
import { TaskRows } from './task-rows.ts';

/** The warehouse in the store, put together: rows on disk, and their indexes. */
export interface Warehouse {
  readonly coils: CoilRows;
  readonly tasks: TaskRows;
  readonly coilQueries: CoilQueries;
  readonly taskQueries: TaskQueries;
  readonly changeFeed: ChangeFeed;
  readonly legacyWrites: LegacyWrites;
  readonly preparedSeeds: PreparedSeeds;
  /** Records that the mirror does not touch. */
  readonly localChanges: LocalChanges;
}

/** `isForwarding` false: there is no central server to mirror. */
export function openWarehouse(connection: Connection, isForwarding: boolean): Warehouse {
  const changeFeed = new ChangeFeed(connection);
  const coils = new CoilRows(connection);
  const tasks = new TaskRows(connection);
  return {
    coils,
    tasks,
    coilQueries: new CoilQueries(coils, changeFeed),
    taskQueries: new TaskQueries(tasks, changeFeed),
    changeFeed,
    legacyWrites: new LegacyWrites(connection),
    preparedSeeds: new PreparedSeeds(coils),
    localChanges: new LocalChanges(connection, isForwarding),
  };
}
