import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import type { SyncBatch } from '../../../../src/domain/sync/batch.ts';
import type { OutgoingBatch } from '../../../../src/flows/forward/sync-ports.ts';

/** The content of a batch, whose digest has to be that of its content. */
export function openedBatch(batch: OutgoingBatch | null): SyncBatch {
  if (batch === null) throw new Error('there is no batch');
  const json = gunzipSync(batch.body);
  expect(createHash('sha256').update(json).digest('hex')).toBe(batch.digest);
  const content = JSON.parse(json.toString('utf8')) as SyncBatch;
  expect(batch.records).toBe(content.records.length + content.points.reduce((sum, { at }) => sum + at.length, 0));
  return content;
}
