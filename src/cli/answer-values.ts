import { isJsonObject } from '../domain/json/json.ts';
/** Reads answers of the local API, in which a gateway of another version may leave fields out. */

/** The value at a path of an answer; undefined if the path does not exist. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((inner, key) => (isJsonObject(inner) ? inner[key] : undefined), value);
}

export function textAt(value: unknown, ...path: readonly string[]): string | null {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : null;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function numberAt(value: unknown, ...path: readonly string[]): number | null {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : null;
}
