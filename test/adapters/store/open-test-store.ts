import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { type OpenedStore, openStore, type StoreOptions } from '../../../src/adapters/store/client/sqlite-store.ts';
import { BatchEncoder } from '../../../src/adapters/store/client/store-thread.ts';
import type { Forwarding, StoreFact } from '../../../src/adapters/store/protocol.ts';
import { type Connection, openConnection } from '../../../src/adapters/store/thread/database/connection.ts';
import { migrate } from '../../../src/adapters/store/thread/database/migrations.ts';
import { openCore, type StoreCore } from '../../../src/adapters/store/thread/store-core.ts';
import { type MachineId, machineId } from '../../../src/domain/machine/machine-names.ts';
import type { LeveledLog } from '../../../src/flows/ports.ts';
import type { ClockChange, StoreRecord, VariablePoint } from '../../../src/flows/store-ports.ts';
import { STORE_THREAD_FILE } from '../../bundle-program.ts';

/** Stores in directories of their own, closed when the test ends, and records to put into them. */

export const START_AT = Date.parse('2026-03-04T08:00:00Z');
export const SHIFT_DATE = '2026-03-04';
export const threadEntry = pathToFileURL(STORE_THREAD_FILE);

export function newDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'plantgate-store-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

export const quietLog: LeveledLog = {
  debug: () => 0,
  info: () => 0,
  warn: () => 0,
  error: () => 0,
  level: 'silent',
};

export async function openTestStore(options: Partial<StoreOptions> = {}): Promise<OpenedStore> {
  const opened = await openStore({
    dataDir: newDataDir(),
    threadEntry,
    retention: { variableDays: 90, statusDays: 30, productionDays: 30, auditDays: 730 },
    forwarding: null,
    monotonicMs: () => performance.now(),
    wallMs: () => START_AT,
    log: quietLog,
    ...options,
  });
  onTestFinished(() => opened.store.close());
  return opened;
}

/** A text as a machine id; fails if it cannot be one. */
export function machine(text: string): MachineId {
  const id = machineId(text);
  if (id === null) throw new Error(`${text} is no machine id`);
  return id;
}

export const RF1 = machine('RF-01');

/** A correction of all times of this boot, of which no production has to move. */
export function correction(deltaMs: number): ClockChange {
  return { deltaMs, sinceAt: 0, untilAt: Number.MAX_SAFE_INTEGER, shifts: [] };
}

export function point(value: number, at: number = START_AT, name = 'lineSpeed', of: MachineId = RF1): VariablePoint {
  return { machineId: of, name, at, shiftDate: SHIFT_DATE, value };
}

export function variables(points: readonly VariablePoint[]): StoreRecord {
  return { kind: 'variables', points, receipt: null };
}

export function machineState(json: string, of: MachineId = RF1): StoreRecord {
  return { kind: 'machineState', machineId: of, json };
}

/** Polls until `probe` is true, for effects of another thread or a timer. */
export async function eventually(probe: () => boolean, withinMs = 10_000): Promise<void> {
  const until = performance.now() + withinMs;
  while (!probe()) {
    if (performance.now() > until) throw new Error(`did not come about within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The store thread's parts without the thread, so that a test can stop between any two steps. */
export interface TestCore extends StoreCore {
  store(points: readonly VariablePoint[], writtenAt?: number): void;
  /** Writes in one transaction, as a separate batch. */
  write(records: readonly StoreFact[], writtenAt?: number): void;
  close(): void;
}

export function openTestCore(
  dataDir: string,
  runId = 'run',
  suspect = false,
  forwarding: Forwarding | null = null,
): TestCore {
  const retention = { variableDays: 90, statusDays: 30, productionDays: 30, auditDays: 730 };
  const core = openCore({ dataDir, runId, retention, forwarding, series: [], suspect });
  const encoder = new BatchEncoder();
  const close = () => {
    core.connection.close();
    core.lock.close();
  };
  onTestFinished(close);
  const write = (records: readonly StoreFact[], writtenAt = START_AT) =>
    core.applier.applyGroup([encoder.encode([{ records }], writtenAt)]);
  return {
    ...core,
    close,
    write,
    store: (points, writtenAt) => write([variables(points)], writtenAt),
  };
}

/** SQL that makes a change of which an index learns nothing, as after damage on the disk. It needs `unsafeMode`. */
export function withoutIndex(index: string, change: string): string {
  return `
    CREATE TEMP TABLE known AS SELECT * FROM main.sqlite_schema WHERE name = '${index}';
    PRAGMA writable_schema = ON;
    DELETE FROM sqlite_schema WHERE name = '${index}';
    PRAGMA writable_schema = RESET;
    ${change};
    PRAGMA writable_schema = ON;
    INSERT INTO sqlite_schema SELECT * FROM known;
    PRAGMA writable_schema = RESET;
  `;
}

/** An empty database with the present schema. */
export function openSchema(): Connection {
  const connection = openConnection(join(newDataDir(), 'plantgate.db'));
  onTestFinished(() => {
    connection.close();
  });
  migrate(connection);
  return connection;
}

/** Every statement that `open` prepares. */
export function preparedStatements(connection: Connection, open: (recording: Connection) => void): readonly string[] {
  const statements: string[] = [];
  const recording = new Proxy(connection, {
    get(target, name) {
      if (name !== 'prepare') return Reflect.get(target, name);
      return (sql: string) => {
        statements.push(sql);
        return target.prepare(sql);
      };
    },
  });
  open(recording);
  return statements;
}

/** The steps of a statement as SQLite plans them. */
export function planOf(connection: Connection, sql: string): readonly string[] {
  const plan = `EXPLAIN QUERY PLAN ${sql.replaceAll(/\?|@\w+/g, '1')}`;
  return connection
    .prepare<[], { detail: string }>(plan)
    .all()
    .map(({ detail }) => detail);
}
