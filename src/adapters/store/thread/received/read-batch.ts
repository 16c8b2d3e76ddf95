import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { faultText } from '../../../../domain/error.ts';
import { jsonValuesExceed } from '../../../../domain/json/json.ts';
import type { BatchRecord, PointSeries } from '../../../../domain/sync/batch.ts';
import { dayNumber } from '../../../../domain/time.ts';
import type { BatchBody, BatchReading } from '../../../../flows/receive/receive-ports.ts';
import { inSlices } from '../../../../runtime/slice.ts';
import { errorText } from '../database/disk-fault.ts';
import { type BatchHeader, checkHeader, checkRecord, checkSeries, MalformedBatch } from './check-batch.ts';
import { type ByteRange, NoOutline, outlineOf, parse, textIn } from './json-outline.ts';

/** Bytes of a batch once it is unpacked. */
export const MAX_UNPACKED_BYTES = 32 * 1024 * 1024;
const UNPACKED_CHUNK_BYTES = 64 * 1024;
const HASHED_AT_ONCE_BYTES = 1024 * 1024;
/** Records of one batch; a gateway sends fewer. The reasons of refused ones go through the main thread. */
const MAX_BATCH_RECORDS = 10_000;
/** JSON values in a run of records, which is 32 KiB long and has one record more. The longest profile has 12,000. */
const MAX_RUN_VALUES = 30_000;
/** Points of one series that are applied in one go. */
const MAX_RUN_POINTS = 10_000;

/** Points of one series as they are stored. */
export interface PointRun {
  readonly machineId: string;
  readonly name: string;
  /** The shift date as days since 1970. */
  readonly day: number;
  readonly at: Float64Array;
  readonly value: Float64Array;
}

/** A batch that is ready to be applied: its records, then its points. */
export interface ReadBatch {
  readonly header: BatchHeader;
  readonly digest: string;
  readonly bytes: number;
  readonly records: readonly BatchRecord[];
  readonly points: readonly PointRun[];
  /** Records and points. */
  readonly count: number;
  /** Records that no version of this gateway could apply, with the reasons. */
  readonly refused: readonly { readonly seq: number; readonly reason: string }[];
  /** The newest time of its points; null: it has none. */
  readonly newestPointAt: number | null;
}

type Refused = Extract<BatchReading, { kind: 'refused' }>;

const unpack = promisify(gunzip);

/** Unpacks, parses and checks a body, in slices; unpacking is done by a thread of the system's own. */
export async function readBatch({ bytes, isGzip }: BatchBody): Promise<ReadBatch | Refused> {
  const plain = isGzip ? await unpacked(bytes) : bytes;
  if ('kind' in plain) return plain;
  if (plain.length > MAX_UNPACKED_BYTES) return tooLarge();
  if (!isUtf8(plain)) return refused('body: found bytes that are not UTF-8');
  try {
    return await inSlices(reading(plain));
  } catch (error) {
    if (error instanceof MalformedBatch) return refused(error.message);
    if (error instanceof NoOutline) return refused(`body: invalid JSON: ${error.message}`);
    throw error;
  }
}

async function unpacked(bytes: Uint8Array): Promise<Uint8Array | Refused> {
  try {
    return await unpack(bytes, { maxOutputLength: MAX_UNPACKED_BYTES, chunkSize: UNPACKED_CHUNK_BYTES });
  } catch (error) {
    if (error instanceof RangeError) return tooLarge();
    return refused(`body: found no gzip: ${errorText(error)}`);
  }
}

function* reading(bytes: Uint8Array): Generator<void, ReadBatch> {
  const hash = createHash('sha256');
  for (let from = 0; from < bytes.length; from += HASHED_AT_ONCE_BYTES) {
    hash.update(bytes.subarray(from, from + HASHED_AT_ONCE_BYTES));
    yield;
  }
  const { members, lists } = yield* outlineOf(bytes);
  const header = checkHeader(
    Object.fromEntries([...members].map(([name, range]) => [name, parse(textIn(bytes, range))])),
  );
  const found = { records: lists.get('records'), points: lists.get('points') };
  for (const [path, runs] of Object.entries(found)) {
    if (runs === undefined) throw new MalformedBatch(faultText({ path, found: 'no list', expected: 'a list' }));
  }
  const { records, refused: unfit, seen } = yield* recordsOf(elementsOf(bytes, found.records, MAX_RUN_VALUES));
  const { points, pointCount, newestPointAt } = yield* pointsOf(
    elementsOf(bytes, found.points, Number.POSITIVE_INFINITY),
  );
  const count = seen + pointCount;
  const digest = hash.digest('hex');
  return { header, digest, bytes: bytes.length, records, points, count, refused: unfit, newestPointAt };
}

/** The elements of a list, run by run. */
function* elementsOf(bytes: Uint8Array, runs: readonly ByteRange[] = [], maxValues: number) {
  for (const run of runs) {
    const text = `[${textIn(bytes, run)}]`;
    if (jsonValuesExceed(text, maxValues)) {
      const expected = `at most ${maxValues} JSON values`;
      throw new MalformedBatch(faultText({ path: 'records', found: 'a record with more', expected }));
    }
    // The text is a list.
    yield parse(text) as readonly unknown[];
  }
}

function* recordsOf(runs: Iterable<readonly unknown[]>) {
  const records: BatchRecord[] = [];
  const unfit: { seq: number; reason: string }[] = [];
  let lastSeq = -1;
  let seen = 0;
  for (const run of runs) {
    for (const value of run) {
      const checked = checkRecord(value);
      const seq = checked.ok ? checked.record.seq : checked.seq;
      if (seq <= lastSeq) {
        const expected = `a number above ${lastSeq}, the one before`;
        throw new MalformedBatch(faultText({ path: 'records.seq', found: String(seq), expected }));
      }
      if (checked.ok) records.push(checked.record);
      else unfit.push(checked);
      lastSeq = seq;
      seen += 1;
      if (seen > MAX_BATCH_RECORDS) {
        throw new MalformedBatch(
          faultText({ path: 'records', found: 'more', expected: `at most ${MAX_BATCH_RECORDS}` }),
        );
      }
    }
    yield;
  }
  return { records, refused: unfit.map(({ seq, reason }) => ({ seq, reason })), seen };
}

function* pointsOf(runs: Iterable<readonly unknown[]>) {
  const points: PointRun[] = [];
  let pointCount = 0;
  let newestPointAt: number | null = null;
  for (const run of runs) {
    for (const value of run) {
      const series = checkSeries(value);
      for (const part of partsOf(series)) points.push(part);
      pointCount += series.at.length;
      for (const at of series.at) newestPointAt = newestPointAt === null ? at : Math.max(newestPointAt, at);
    }
    yield;
  }
  return { points, pointCount, newestPointAt };
}

function* partsOf({ machineId, name, shiftDate, at, value }: PointSeries): Generator<PointRun> {
  const day = dayNumber(shiftDate);
  for (let from = 0; from < at.length; from += MAX_RUN_POINTS) {
    const to = from + MAX_RUN_POINTS;
    const times = Float64Array.from(at.slice(from, to));
    // Stored times are whole milliseconds, like those of our own points.
    for (let index = 0; index < times.length; index += 1) times[index] = Math.round(times[index] ?? 0);
    yield { machineId, name, day, at: times, value: Float64Array.from(value.slice(from, to)) };
  }
}

function refused(reason: string): Refused {
  return { kind: 'refused', fault: 'malformed', reason };
}

function tooLarge(): Refused {
  const reason = `body: found more, expected at most ${MAX_UNPACKED_BYTES} bytes once it is unpacked`;
  return { kind: 'refused', fault: 'tooLarge', reason };
}
