import { randomUUID } from 'node:crypto';
import type { Log } from '../../../flows/ports.ts';
import type { Store, StoredState } from '../../../flows/store-ports.ts';
import type { Forwarding, Retention } from '../protocol.ts';
import type { EarlyThread } from './early-thread.ts';
import { SqliteStore } from './sqlite-store.ts';

/** The amount that may wait for the disk before records are shed and writes refused. */
const MAX_PENDING_BYTES = 64 * 1024 * 1024;

export interface StoreOptions {
  readonly dataDir: string;
  /** The file of `src/threads` that a store thread starts from. */
  readonly threadEntry: URL | string;
  /** The first thread, if it was started before. */
  readonly earlyThread?: EarlyThread;
  /** The thread shows here that it is alive: its beat, then its thread id. */
  readonly pulse?: Int32Array<SharedArrayBuffer>;
  readonly retention: Retention;
  /** Null: there is no central server, nothing is queued. */
  readonly forwarding: Forwarding | null;
  readonly maxPendingBytes?: number;
  readonly monotonicMs: () => number;
  readonly wallMs: () => number;
  readonly log: Log;
}

/** Faults to be caused on purpose, for tests and the benchmark. */
export interface StoreTesting {
  /** Holds the store thread up, as a stuck disk would. */
  stall(forMs: number): void;
  /** Ends the store thread by an uncaught error. */
  crash(): void;
  /** Limits the database to this number of pages, as a full disk would. */
  limitPages(pages: number): void;
}

export interface OpenedStore {
  readonly store: Store;
  readonly restored: StoredState;
  readonly testing: StoreTesting;
}

/**
 * Opens the store in `dataDir`, which is created if need be, and gives the state with which the gateway goes on (D-03).
 * A damaged database is set aside and named in `restored`. Rejects with StoreOpenError when another process uses the
 * directory, when a newer program wrote it, or when the disk can be neither read nor written.
 */
export async function openStore(options: StoreOptions): Promise<OpenedStore> {
  const store = new SqliteStore({ maxPendingBytes: MAX_PENDING_BYTES, ...options, runId: randomUUID() });
  const restored = await store.opened;
  const testing: StoreTesting = {
    stall: (forMs) => store.provoke({ kind: 'stall', forMs }),
    crash: () => store.provoke({ kind: 'crash' }),
    limitPages: (pages) => store.provoke({ kind: 'limitPages', pages }),
  };
  return { store, restored, testing };
}
