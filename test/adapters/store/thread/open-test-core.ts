import { onTestFinished } from 'vitest';
import { BatchEncoder } from '../../../../src/adapters/store/client/store-thread.ts';
import type { Forwarding, StoreFact } from '../../../../src/adapters/store/protocol.ts';
import { openCore, type StoreCore } from '../../../../src/adapters/store/thread/store-core.ts';
import type { VariablePoint } from '../../../../src/flows/store-ports.ts';
import { START_AT, variables } from '../open-test-store.ts';

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
  const retention = { variableDays: 90, statusDays: 30, auditDays: 730 };
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
