import { isJsonObject } from '../../domain/json/json.ts';
import type { Path } from '../../validation/fault-path.ts';

/** Plain values of objects and lists, as YAML gives them, read and changed by path. Nothing is changed in place. */

/** The value at a path; undefined if the path leaves the tree. */
export function valueAt(tree: unknown, path: Path): unknown {
  let value = tree;
  for (const key of path) {
    value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

/** The tree with another value at a path. A value on the path that is no object stays unchanged. */
export function withValueAt(tree: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (tree !== undefined && tree !== null && !isJsonObject(tree)) return tree;
  const object = tree ?? {};
  return { ...object, [key]: withValueAt(valueAt(object, [key]), rest, value) };
}

/** Freezes a value with its whole content. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
