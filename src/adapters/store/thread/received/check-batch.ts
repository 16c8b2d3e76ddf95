import type { Static, TSchema } from 'typebox';
import { type Fault, faultText, foundText } from '../../../../domain/error.ts';
import { jsonDepthExceeds, MAX_JSON_DEPTH } from '../../../../domain/json/json.ts';
import type { Result } from '../../../../domain/result.ts';
import type { BatchRecord, PointSeries } from '../../../../domain/sync/batch.ts';
import { SYNC_VERSION } from '../../../../domain/sync/batch.ts';
import { schemaCheck } from '../../../../validation/schema-check.ts';
import { HEADER, NUMBERED, POINT_SERIES, RECORDS } from './batch-shapes.ts';

/** A whole batch is refused, because the faulty record cannot be named. */
export class MalformedBatch extends Error {}

export type BatchHeader = Static<typeof HEADER>;

/** A sound record, or a malformed one, which is never applied. */
export type CheckedRecord = Result<{ readonly record: BatchRecord }, { readonly seq: number; readonly reason: string }>;

/** Only the first fault is named: most records are sound, and a batch has thousands. */
const firstFault = <Schema extends TSchema>(schema: Schema, root: string) => schemaCheck(schema, { root }, 1);
const headerCheck = firstFault(HEADER, 'header');
const numberCheck = firstFault(NUMBERED, 'records');
const seriesCheck = firstFault(POINT_SERIES, 'points');
const recordChecks = new Map(Object.entries(RECORDS).map(([name, schema]) => [name, firstFault(schema, 'record')]));

/** Throws MalformedBatch. */
export function checkHeader(header: Readonly<Record<string, unknown>>): BatchHeader {
  if (header.version !== SYNC_VERSION) {
    throw malformed({ path: 'version', found: foundText(header.version), expected: String(SYNC_VERSION) });
  }
  const result = headerCheck(header);
  if (result.ok) return result.value;
  throw malformed(...result.faults);
}

/** As for the status of a device (D-13). Neither JSON.stringify nor PostgreSQL can do with any depth. */
const DEPTH = `at most ${MAX_JSON_DEPTH} levels`;

/** Throws MalformedBatch if the record has no number. */
export function checkRecord(value: unknown): CheckedRecord {
  const numbered = numberCheck(value);
  if (!numbered.ok) throw malformed(...within('records', numbered.faults));
  const { seq } = numbered.value;
  const name = shapeName(numbered.value);
  const result = recordChecks.get(name)?.(value);
  if (result === undefined) {
    const expected = Object.keys(RECORDS).join(', ');
    return { ok: false, seq, reason: faultText({ path: 'kind', found: foundText(name), expected }) };
  }
  if (!result.ok) return { ok: false, seq, reason: result.faults.map(faultText).join('; ') };
  // Its kind has this schema.
  const record = result.value as BatchRecord;
  if (record.kind === 'status' && jsonDepthExceeds(record.sample.json)) {
    return {
      ok: false,
      seq,
      reason: faultText({ path: 'record.sample.json', found: 'deeper nesting', expected: DEPTH }),
    };
  }
  return { ok: true, record };
}

/** Throws MalformedBatch. */
export function checkSeries(value: unknown): PointSeries {
  const result = seriesCheck(value);
  if (!result.ok) throw malformed(...within('points', result.faults));
  const { at, value: values, shiftDate } = result.value;
  if (at.length !== values.length) {
    throw malformed({
      path: 'points.value',
      found: `${values.length} values`,
      expected: `${at.length}, as many as at`,
    });
  }
  if (Number.isNaN(Date.parse(`${shiftDate}T00:00:00Z`))) {
    throw malformed({ path: 'points.shiftDate', found: foundText(shiftDate), expected: 'a date' });
  }
  return result.value;
}

/** The name of the shape that a record must have: `downtime`, `act orderPut`. */
function shapeName(value: object): string {
  if (!('kind' in value)) return 'nothing';
  if (value.kind !== 'act') return String(value.kind);
  const { queued } = value as { readonly queued?: { readonly act?: { readonly type?: unknown } | null } | null };
  return `act ${String(queued?.act?.type)}`;
}

function malformed(...faults: readonly Fault[]): MalformedBatch {
  return new MalformedBatch(faults.map(faultText).join('; '));
}

/** The faults of an entry of a list. */
function within(list: string, faults: readonly Fault[]): readonly Fault[] {
  return faults.map((fault) => (fault.path === list ? fault : { ...fault, path: `${list}.${fault.path}` }));
}
