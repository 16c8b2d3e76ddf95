import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Static, TSchema } from 'typebox';
import { type Fault, faultText, foundText } from '../../../../domain/error.ts';
import type { BatchRecord, PointSeries } from '../../../../domain/sync/batch.ts';
import { SYNC_VERSION } from '../../../../domain/sync/batch.ts';
import { brokenRule } from '../../../../validation/broken-rule.ts';
import { QUICK_TO_COMPILE } from '../../../../validation/json-schema.ts';
import { HEADER, NUMBERED, POINT_SERIES, RECORDS } from './batch-shapes.ts';

/** A whole batch is refused, because the faulty record cannot be named. */
export class MalformedBatch extends Error {}

export type BatchHeader = Static<typeof HEADER>;

/** A sound record, or a malformed one, which is never applied. */
export type CheckedRecord =
  | { readonly ok: true; readonly record: BatchRecord }
  | { readonly ok: false; readonly seq: number; readonly reason: string };

const ajv = new Ajv2020({ strict: true, verbose: true, ...QUICK_TO_COMPILE });
const compiled = new Map<TSchema, ValidateFunction>();

/** Compiled when it is first asked for, one by one: most gateways never get a batch, and commits wait meanwhile. */
function shapeOf<T>(schema: TSchema): ValidateFunction<T> {
  const known = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, known);
  // The schema has checked it.
  return known as ValidateFunction<T>;
}

/** Throws MalformedBatch. */
export function checkHeader(header: Readonly<Record<string, unknown>>): BatchHeader {
  if (header.version !== SYNC_VERSION) {
    throw malformed({ path: 'version', found: foundText(header.version), expected: String(SYNC_VERSION) });
  }
  const isHeader = shapeOf<BatchHeader>(HEADER);
  if (isHeader(header)) return header;
  throw malformed(faultOf(isHeader, ''));
}

/** Throws MalformedBatch if the record has no number. */
export function checkRecord(value: unknown): CheckedRecord {
  const isNumbered = shapeOf<{ readonly seq: number }>(NUMBERED);
  if (!isNumbered(value)) throw malformed(faultOf(isNumbered, 'records'));
  const { seq } = value;
  const name = shapeName(value);
  const schema = Object.hasOwn(RECORDS, name) ? RECORDS[name] : undefined;
  if (schema === undefined) {
    const expected = Object.keys(RECORDS).join(', ');
    return { ok: false, seq, reason: faultText({ path: 'kind', found: foundText(name), expected }) };
  }
  const shape = shapeOf<BatchRecord>(schema);
  if (shape(value)) return { ok: true, record: value };
  return { ok: false, seq, reason: faultText(faultOf(shape, '')) };
}

/** Throws MalformedBatch. */
export function checkSeries(value: unknown): PointSeries {
  const isSeries = shapeOf<PointSeries>(POINT_SERIES);
  if (!isSeries(value)) throw malformed(faultOf(isSeries, 'points'));
  const { at, value: values, shiftDate } = value;
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
  return value;
}

/** The name of the shape that a record must have: `downtime`, `act orderPut`. */
function shapeName(value: object): string {
  if (!('kind' in value)) return 'nothing';
  if (value.kind !== 'act') return String(value.kind);
  const { queued } = value as { readonly queued?: { readonly act?: { readonly type?: unknown } | null } | null };
  return `act ${String(queued?.act?.type)}`;
}

function malformed(fault: Fault): MalformedBatch {
  return new MalformedBatch(faultText(fault));
}

/** The first fault. */
function faultOf({ errors }: ValidateFunction, root: string): Fault {
  const error = errors?.[0];
  if (error === undefined) return { path: root || 'record', found: 'nothing', expected: 'a value' };
  const path = [root, ...error.instancePath.split('/')].filter((part) => part !== '').join('.');
  if (error.keyword === 'required') {
    return { path: `${path}.${String(error.params.missingProperty)}`, found: 'nothing', expected: 'a value' };
  }
  return { path: path === '' ? 'record' : path, found: foundText(error.data), expected: brokenRule(error) };
}
