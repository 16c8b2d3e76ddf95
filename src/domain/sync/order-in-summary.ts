import { isJsonObject, type JsonObject } from '../json/json.ts';
import type { keyParts } from '../order/order-key.ts';

/** The key by which an order is sought. */
export type SoughtOrder = ReturnType<typeof keyParts>;

/**
 * The relation of a row of a summary to the sought order: `same` is this order, `perhaps` may be this order, `other` is
 * another order, and `silent` lacks the key by which the order is sought.
 */
export type RowEvidence = 'same' | 'perhaps' | 'other' | 'silent';

/**
 * Whether a row is about the sought order. Only fields that name orders count, because any number of a row, such as its
 * pieces, may equal an id. All values are text, as they are written in the summary.
 */
export function rowEvidence(row: unknown, { by, id }: SoughtOrder): RowEvidence {
  if (!isJsonObject(row)) return 'silent';
  const documents = valuesOf(row, DOCUMENT_IDS);
  if (by === 'documentID') return documents === null ? 'silent' : sameOrOther(documents, id);
  const codes = valuesOf(row, ORDER_CODES);
  if (codes === null) return 'silent';
  // Orders may share an order code (D-20): this row may be about orders with a documentID alone.
  return codes.includes(id) && documents !== null && documents.length > 0 ? 'perhaps' : sameOrOther(codes, id);
}

/** Whether a summary has the order, concluded from all its rows; null if the summary does not show this. */
export function presenceBy(evidence: ReadonlySet<RowEvidence>): boolean | null {
  if (evidence.has('same')) return true;
  if (evidence.has('perhaps')) return null;
  return evidence.has('other') || evidence.size === 0 ? false : null;
}

const DOCUMENT_IDS = /^document_?ids?$/i;
const ORDER_CODES = /^order_?codes?$/i;
/** The ways in which YAML writes that there is no value. */
const NO_VALUE: ReadonlySet<string> = new Set(['', '~', 'null']);

/** The texts of all fields with such a name; null if there is no such field. */
function valuesOf(row: JsonObject, name: RegExp): readonly string[] | null {
  const fields = Object.entries(row).filter(([key]) => name.test(key));
  if (fields.length === 0) return null;
  return fields
    .flatMap(([, value]) => value)
    .filter((value) => typeof value === 'string')
    .filter((value) => !NO_VALUE.has(value));
}

function sameOrOther(ids: readonly string[], id: string): RowEvidence {
  return ids.includes(id) ? 'same' : 'other';
}
