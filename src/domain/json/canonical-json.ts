import type { SlicedWork } from '../sliced-work.ts';

/**
 * A parsed JSON value as JSON without white space, the keys of each object in one order: the same for all texts with
 * equal values. It recurses as deep as the value is.
 */
export function* canonicalJson(value: unknown): SlicedWork<string> {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  yield;
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value) parts.push(yield* canonicalJson(item));
    return `[${parts.join()}]`;
  }
  const fields: Readonly<Record<string, unknown>> = { ...value };
  for (const key of Object.keys(fields).sort()) {
    parts.push(`${JSON.stringify(key)}:${yield* canonicalJson(fields[key])}`);
  }
  return `{${parts.join()}}`;
}
