import { asJsonObject } from '../json/json.ts';
import type { Result } from '../result.ts';
import { FieldReader, idText } from './field-reader.ts';

/** A record from a central server as this gateway keeps it, or its fault; `id` is null if it cannot be read either. */
export type Mirrored<T> = Result<{ readonly record: T }, { readonly id: string | null; readonly fault: string }>;

/** Reads a record; fields that it does not know are left out. */
export function mirrored<T>(value: unknown, idField: string, read: (reader: FieldReader) => T): Mirrored<T> {
  const fields = asJsonObject(value);
  if (fields === null) return { ok: false, id: null, fault: 'no object' };
  const reader = new FieldReader(fields);
  const record = read(reader);
  if (reader.fault === null) return { ok: true, record };
  return { ok: false, id: idText(fields[idField]), fault: reader.fault };
}
