import { stringify } from 'yaml';

/** Texts stay on their line, however long, and nothing is said by reference to something else. */
const SETTINGS = { lineWidth: 0, aliasDuplicateObjects: false } as const;

/**
 * A part of a plant file as YAML: records of one kind. Parts of a kind put one after the other are one list; all but the
 * first are made with `goesOn`.
 */
export function plantText(kind: string, records: readonly unknown[], goesOn: boolean): string {
  const text = stringify({ [kind]: records }, SETTINGS);
  return goesOn ? text.slice(text.indexOf('\n') + 1) : text;
}
