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
