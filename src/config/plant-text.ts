import { Scalar, stringify } from 'yaml';

/** Texts stay on their line, however long, and nothing is said by reference to something else. */
const SETTINGS = { lineWidth: 0, aliasDuplicateObjects: false } as const;

/**
 * A part of a plant file as YAML: records of one kind. Parts of a kind put one behind the other are one list; all but the
 * first are made with `goesOn`.
 */
export function plantText(kind: string, records: readonly unknown[], goesOn: boolean): string {
  const text = stringify({ [kind]: records }, quoted, SETTINGS);
  return goesOn ? text.slice(text.indexOf('\n') + 1) : text;
}

/** Half a character, which JSON can hold and UTF-8 cannot, stays what it is only as an escape. */
function quoted(_key: unknown, value: unknown): unknown {
  if (typeof value !== 'string' || value.isWellFormed()) return value;
  const scalar = new Scalar(value);
  scalar.type = Scalar.QUOTE_DOUBLE;
  return scalar;
}
