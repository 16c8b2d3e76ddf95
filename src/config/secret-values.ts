import { isJsonObject, type JsonObject } from '../domain/json/json.ts';

const LEFT_OUT = '(left out)';

/** A value of a configuration or a plant file; keys that its schema marks as `writeOnly` are left out. */
export function withoutSecrets(value: unknown, schema: unknown): unknown {
  if (isSecret(schema)) return LEFT_OUT;
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, partOf(schema, 'items')));
  if (!isJsonObject(value)) return value;
  const properties = asObject(partOf(schema, 'properties'));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutSecrets(inner, properties[key])]));
}

/** The texts in a value that its schema marks as `writeOnly`. */
export function secretValues(value: unknown, schema: unknown): readonly string[] {
  if (typeof value === 'string') return isSecret(schema) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item) => secretValues(item, partOf(schema, 'items')));
  if (!isJsonObject(value)) return [];
  const properties = asObject(partOf(schema, 'properties'));
  return Object.entries(value).flatMap(([key, inner]) => secretValues(inner, properties[key]));
}

function isSecret(schema: unknown): boolean {
  const { writeOnly, anyOf } = asObject(schema);
  return writeOnly === true || (Array.isArray(anyOf) && anyOf.some(isSecret));
}

function partOf(schema: unknown, part: 'items' | 'properties'): unknown {
  return asObject(schema)[part];
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
