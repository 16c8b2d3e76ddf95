import { statSync } from 'node:fs';
import type { StoreStatistics } from '../../protocol.ts';
import type { Connection } from './connection.ts';

/** The WAL is copied into the database from this many pages on: the first number when idle, the second under load. */
const IDLE_PAGES = 1_000;
const LOADED_PAGES = 4_000;

/** Keeps the WAL short, after the commit's acknowledgement and not within the commit. */
export class Checkpoints {
  readonly #connection: Connection;
  readonly #state;
  readonly #pages;
  readonly #pageBytes: number;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#state = connection.prepare<[], { log: number; checkpointed: number }>('PRAGMA wal_checkpoint(NOOP)');
    this.#pages = connection.prepare<[], number>('PRAGMA page_count').pluck();
    this.#pageBytes = Number(connection.pragma('page_size', { simple: true }));
  }

  runIfDue(isIdle: boolean): void {
    const { log, checkpointed } = this.#state.get() ?? { log: 0, checkpointed: 0 };
    if (log - checkpointed < (isIdle ? IDLE_PAGES : LOADED_PAGES)) return;
    this.#connection.pragma('wal_checkpoint(PASSIVE)');
  }

  statistics(): Pick<StoreStatistics, 'databaseBytes' | 'walBytes'> {
    const wal = statSync(`${this.#connection.name}-wal`, { throwIfNoEntry: false });
    return { databaseBytes: (this.#pages.get() ?? 0) * this.#pageBytes, walBytes: wal?.size ?? 0 };
  }
}
