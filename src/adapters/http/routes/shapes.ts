import type { TSchema } from 'typebox';
import * as Type from 'typebox';
import { LIMITS } from '../limits.ts';

/** Shapes that several routes share. */
export const ID = Type.String({ minLength: 1, maxLength: LIMITS.idLength });
export const BADGE = Type.String({ minLength: 3, maxLength: LIMITS.idLength });
export const TIME = Type.Optional(Type.String());
export const DATE = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });
export const SHIFT_DATE = Type.Optional(DATE);

/** The number of records to list; the default applies when the query does not say. */
export function limitOf(byDefault: number) {
  return Type.Integer({ minimum: 1, maximum: LIMITS.listedRecords, default: byDefault });
}

/** Shapes of the answers of `/api/local`, for the published documents (contract.md, Local API). */

export function text(description?: string) {
  return Type.String(description === undefined ? {} : { description });
}

export function orNull<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

/** One of these words. */
export function choice<const Choices extends readonly string[]>(choices: Choices) {
  return Type.Unsafe<Choices[number]>({ type: 'string', enum: [...choices] });
}

export const DATE_TIME = Type.String({ format: 'date-time' });
export const COUNT = Type.Integer({ minimum: 0 });
export const SECONDS = Type.Number({ minimum: 0 });

/** A record whose fields are described elsewhere. */
export function record(title: string, description: string) {
  return Type.Object({}, { title, description });
}

/** An export with the separator, decimal sign, byte order mark and times that a spreadsheet of a language reads. */
export const CSV_FORM = {
  for: Type.Optional(choice(['spreadsheet'])),
  language: Type.Optional(choice(['de', 'en'])),
};
export const CSV = Type.String({ contentMediaType: 'text/csv' });
