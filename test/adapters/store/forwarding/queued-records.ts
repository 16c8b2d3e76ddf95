import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import type { StoreOptions } from '../../../../src/adapters/store/client/sqlite-store.ts';
import type { SyncBatch } from '../../../../src/domain/sync/batch.ts';
import type { QueuedOperation } from '../../../../src/domain/sync/operation.ts';
import type { SampleReason } from '../../../../src/domain/sync/status-sample.ts';
import type { OutgoingBatch } from '../../../../src/flows/forward/sync-ports.ts';
import type { StoreRecord } from '../../../../src/flows/store-ports.ts';
import { machine, openTestStore, RF1, START_AT } from '../open-test-store.ts';

/** Stores that forward, and records to be forwarded. */

export const FORWARDING = { maxBytes: 1024 * 1024 * 1024, gatewayId: 'plant1-line3', server: 'central' };

export function openForwardingStore(options: Partial<StoreOptions> = {}) {
  return openTestStore({ forwarding: FORWARDING, ...options });
}

/** The move of a coil, identified by its location. */
export function coilMove(coilId: string, location: string, at = START_AT): { kind: 'act'; queued: QueuedOperation } {
  return {
    kind: 'act',
    queued: { operationId: `${coilId} ${location}`, at, principal: 'pat', act: { type: 'coilMove', coilId, location } },
  };
}

/** An order of this many characters. */
export function longOrder(orderKey: string, length: number): { kind: 'act'; queued: QueuedOperation } {
  const act = { type: 'orderPut', orderKey, json: ' '.repeat(length), isNew: true } as const;
  return { kind: 'act', queued: { operationId: orderKey, at: START_AT, principal: 'erp', act } };
}

export function sample(of: string, at: number, why: SampleReason = 'change'): StoreRecord {
  return { kind: 'statusSample', sample: { machineId: machine(of), at, why, json: JSON.stringify({ of, at }) } };
}

export function shift(goodParts: number, shiftName = 'Early'): StoreRecord {
  const times = { runningMs: 0, stoppedMs: 0, downMs: 0, faultMs: 0, overrideMs: 0, offlineMs: 0 };
  const totals = { goodParts, badParts: 0, cycles: goodParts, ...times };
  return { kind: 'shift', shift: { machineId: RF1, shiftDate: '2026-03-04', shiftName, totals } };
}

export function downtime(downtimeId: string, endedAt: number | null): StoreRecord {
  const nobody = { reasonId: null, note: null, userName: null };
  return { kind: 'downtime', downtime: { downtimeId, machineId: RF1, startedAt: START_AT, endedAt, ...nobody } };
}

/** The content of a batch, whose digest has to be that of its content. */
export function openedBatch(batch: OutgoingBatch | null): SyncBatch {
  if (batch === null) throw new Error('there is no batch');
  const json = gunzipSync(batch.body);
  expect(createHash('sha256').update(json).digest('hex')).toBe(batch.digest);
  const content = JSON.parse(json.toString('utf8')) as SyncBatch;
  expect(batch.records).toBe(content.records.length + content.points.reduce((sum, { at }) => sum + at.length, 0));
  return content;
}
