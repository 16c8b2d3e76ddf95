import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Static } from 'typebox';
import { type Fault, faultText, foundText } from '../../../../domain/error.ts';
import type { BatchRecord, PointSeries } from '../../../../domain/sync/batch.ts';
import { SYNC_VERSION } from '../../../../domain/sync/batch.ts';
import { HEADER, NUMBERED, POINT_SERIES, RECORDS } from './batch-shapes.ts';

/** All of a batch is refused: it cannot even be said which of its records is at fault. */
export class MalformedBatch extends Error {}

export type BatchHeader = Static<typeof HEADER>;

/** A record that is sound, or one that is not, is not applied and never will be. */
export type CheckedRecord =
  | { readonly ok: true; readonly record: BatchRecord }
  | { readonly ok: false; readonly seq: number; readonly reason: string };

let compiled: ReturnType<typeof compile> | null = null;

/** Compiled with the first batch: most gateways never get one. */
function shapes(): ReturnType<typeof compile> {
  compiled ??= compile();
  return compiled;
}

function compile() {
  const ajv = new Ajv2020({ strict: true, verbose: true });
  return {
    isHeader: ajv.compile<BatchHeader>(HEADER),
    isNumbered: ajv.compile<{ readonly seq: number }>(NUMBERED),
    isSeries: ajv.compile<PointSeries>(POINT_SERIES),
    records: new Map(Object.entries(RECORDS).map(([name, schema]) => [name, ajv.compile(schema)])),
  };
}

/** Throws MalformedBatch. */
export function checkHeader(header: Readonly<Record<string, unknown>>): BatchHeader {
  if (header.version !== SYNC_VERSION) {
    throw malformed({ path: 'version', found: foundText(header.version), expected: String(SYNC_VERSION) });
  }
  const { isHeader } = shapes();
  if (isHeader(header)) return header;
  throw malformed(faultOf(isHeader, ''));
}

/** Throws MalformedBatch where it has no number. */
export function checkRecord(value: unknown): CheckedRecord {
  const { isNumbered, records } = shapes();
  if (!isNumbered(value)) throw malformed(faultOf(isNumbered, 'records'));
  const { seq } = value;
  const name = shapeName(value);
  const shape = records.get(name);
  if (shape === undefined) {
    const expected = [...records.keys()].join(', ');
    return { ok: false, seq, reason: faultText({ path: 'kind', found: foundText(name), expected }) };
  }
  // The shape of its kind was just found.
  if (shape(value)) return { ok: true, record: value as BatchRecord };
  return { ok: false, seq, reason: faultText(faultOf(shape, '')) };
}

/** Throws MalformedBatch. */
export function checkSeries(value: unknown): PointSeries {
  const { isSeries } = shapes();
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

/** `downtime`, `act orderPut`: what says which shape a record has to have. */
function shapeName(value: object): string {
  if (!('kind' in value)) return 'nothing';
  if (value.kind !== 'act') return String(value.kind);
  const { queued } = value as { readonly queued?: { readonly act?: { readonly type?: unknown } | null } | null };
  return `act ${String(queued?.act?.type)}`;
}

function malformed(fault: Fault): MalformedBatch {
  return new MalformedBatch(faultText(fault));
}

/** The first thing that is wrong. */
function faultOf({ errors }: ValidateFunction, root: string): Fault {
  const error = errors?.[0];
  const path = [root, ...(error?.instancePath.split('/') ?? [])].filter((part) => part !== '').join('.');
  if (error?.keyword === 'required') {
    return { path: `${path}.${String(error.params.missingProperty)}`, found: 'nothing', expected: 'a value' };
  }
  return { path: path === '' ? 'record' : path, found: foundText(error?.data), expected: ruleOf(error) };
}

function ruleOf(error: ErrorObject | undefined): string {
  return error?.message?.replace(/^must (be|have|NOT have) /, '') ?? 'another value';
}
