import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '../domain/json/json.ts';

/** The keys whose values differ between two configurations, such as `devices.timeoutSeconds`. A list counts as one value. */
export function changedKeys(before: unknown, after: unknown, key = ''): readonly string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isJsonObject(before) || !isJsonObject(after)) return [key];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => changedKeys(before[name], after[name], key === '' ? name : `${key}.${name}`));
}
