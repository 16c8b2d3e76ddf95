import { stringify } from 'yaml';

/** Texts of any length stay on their line, and no value is written as a reference. */
const SETTINGS = { lineWidth: 0, aliasDuplicateObjects: false } as const;

/**
 * A part of a plant file as YAML: records of one kind. Parts of a kind put one after the other are one list; all but the
 * first are made with `goesOn`.
 */
export function plantText(kind: string, records: readonly unknown[], goesOn: boolean): string {
  const text = stringify({ [kind]: records }, SETTINGS);
  return goesOn ? text.slice(text.indexOf('\n') + 1) : text;
}
