import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { type OpenedStore, openStore, type StoreOptions } from '../../../src/adapters/store/client/sqlite-store.ts';
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
    retention: { variableDays: 90, statusDays: 30, auditDays: 730 },
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
