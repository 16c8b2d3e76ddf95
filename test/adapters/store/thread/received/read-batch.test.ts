import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readBatch } from '../../../../../src/adapters/store/thread/received/read-batch.ts';
import { EMPTY_BATCH, packed } from '../../../../fakes/batch-sender.ts';

function points(...values: readonly number[]): object {
  return { machineId: 'RF-01', name: 'lineSpeed', shiftDate: '2026-03-04', at: values, value: values };
}

const MANY = Array.from({ length: 40_000 }, (_, place) => place);

describe('a batch', () => {
  it.each([
    ['no JSON', 'nothing', 'invalid JSON'],
    ['text behind it', `${JSON.stringify(EMPTY_BATCH)}x`, 'more behind'],
    ['a version of the future', JSON.stringify({ ...EMPTY_BATCH, version: 2 }), 'version: found 2, expected 1'],
    ['no gateway', JSON.stringify({ ...EMPTY_BATCH, gatewayId: undefined }), 'gatewayId: found nothing'],
    ['no records', JSON.stringify({ ...EMPTY_BATCH, records: undefined }), 'records: found no list'],
    ['a key twice', JSON.stringify(EMPTY_BATCH).replace('{', '{"stream":"a",'), 'stream twice'],
    ['a record without number', JSON.stringify({ ...EMPTY_BATCH, records: [{}] }), 'records.seq: found nothing'],
    ['numbers that fall', JSON.stringify({ ...EMPTY_BATCH, records: [{ seq: 2 }, { seq: 2 }] }), 'above 2'],
    ['a broken record', JSON.stringify(EMPTY_BATCH).replace('"records":[', '"records":[{"seq":1,}'), 'invalid JSON'],
    [
      'a record of many values',
      JSON.stringify({ ...EMPTY_BATCH, records: [{ seq: 1, junk: MANY }] }),
      '30000 JSON values',
    ],
    ['many records', JSON.stringify({ ...EMPTY_BATCH, records: MANY.map((seq) => ({ seq })) }), 'at most 10000'],
    ['columns of two lengths', JSON.stringify({ ...EMPTY_BATCH, points: [{ ...points(1, 2), at: [1] }] }), '2 values'],
    [
      'a text that is not a day',
      JSON.stringify({ ...EMPTY_BATCH, points: [{ ...points(1), shiftDate: '2026-13-01' }] }),
      'a date',
    ],
    ['deep nesting', `{"version":${'['.repeat(70)}${']'.repeat(70)}}`, 'deeper nesting'],
  ])('D-27 with %s is refused as a whole, with a reason', async (_, json, reason) => {
    const gzip = new Uint8Array(gzipSync(json));
    expect(await readBatch({ bytes: gzip, isGzip: true })).toEqual({
      kind: 'refused',
      fault: 'malformed',
      reason: expect.stringContaining(reason),
    });
  });

  it('D-27 that is a gzip bomb, cut short, or no gzip at all is refused', async () => {
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(40 * 1024 * 1024, ' ')));
    const whole = packed(EMPTY_BATCH).gzip;
    const faults = [bomb, whole.slice(0, -9), new Uint8Array([1, 2, 3])].map((bytes) =>
      readBatch({ bytes, isGzip: true }),
    );
    expect(await Promise.all(faults)).toMatchObject([
      { kind: 'refused', fault: 'tooLarge' },
      { kind: 'refused', fault: 'malformed' },
      { kind: 'refused', fault: 'malformed' },
    ]);
  });
});
