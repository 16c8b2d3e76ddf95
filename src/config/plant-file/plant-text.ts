import { type ScalarTag, stringify } from 'yaml';

/** YAML 1.1 gives `=` a meaning of its own, on which PyYAML fails. */
const VALUE: ScalarTag = { tag: 'tag:yaml.org,2002:value', default: true, test: /^=$/, resolve: (text) => text };

/**
 * Texts of any length stay on their line, and no value is written as a reference. What readers of YAML 1.1 would take
 * for something else is quoted: `no`, `12:30`, `1_000`, `2026-11-25`.
 */
const SETTINGS = {
  lineWidth: 0,
  aliasDuplicateObjects: false,
  compat: 'yaml-1.1',
  customTags: [VALUE],
} as const;

/**
 * A part of a plant file as YAML: records of one kind. Parts of a kind put one after the other are one list; all but the
 * first are made with `goesOn`.
 */
export function plantText(kind: string, records: readonly unknown[], goesOn: boolean): string {
  const text = stringify({ [kind]: records }, { ...SETTINGS, customTags: [...SETTINGS.customTags] });
  return goesOn ? text.slice(text.indexOf('\n') + 1) : text;
}
