import type { TSchema } from 'typebox';
import { isJsonObject } from '../domain/json/json-object.ts';
import { parseByteSize } from './byte-size.ts';

/** A value to check, and the schema that is left to check it with. */
interface Narrowed<Schema> {
  readonly schema: Schema;
  readonly value: unknown;
}

/**
 * Fills in the top-level sections that are absent, and takes their rules out of the schema: most files name few sections,
 * and to compile the rules of all takes a tenth of a start. The sections keep their names, for unknown keys are compared to
 * these.
 */
export function fillAbsentSections<Schema extends TSchema>(schema: Schema, value: unknown): Narrowed<Schema> {
  const rules = propertiesOf(schema);
  if (!isJsonObject(value)) return { schema, value };
  const absent = Object.keys(rules).filter((name) => value[name] === undefined);
  const filled = absent.flatMap((name) => {
    const standard = defaultOf(rules[name]);
    return standard === undefined ? [] : [[name, standard] as const];
  });
  const properties = { ...rules, ...Object.fromEntries(absent.map((name) => [name, {}])) };
  return { schema: { ...schema, properties }, value: { ...value, ...Object.fromEntries(filled) } };
}

/** The default of a rule with those of the properties within it, as the compiled check would put it in; undefined: none. */
function defaultOf(rule: unknown): unknown {
  if (!isJsonObject(rule) || rule.default === undefined) return undefined;
  if ('byteSize' in rule) return parseByteSize(rule.default) ?? rule.default;
  if (!isJsonObject(rule.default)) return structuredClone(rule.default);
  const within = Object.entries(propertiesOf(rule)).flatMap(([name, inner]) => {
    const standard = defaultOf(inner);
    return standard === undefined ? [] : [[name, standard]];
  });
  return { ...Object.fromEntries(within), ...rule.default };
}

function propertiesOf(rule: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(rule) && isJsonObject(rule.properties) ? rule.properties : {};
}
