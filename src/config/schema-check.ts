import type { Ajv2020, ErrorObject } from 'ajv/dist/2020.js';
import type { Static, TSchema } from 'typebox';
import { anyOf, type Fault, foundText } from '../domain/error.ts';
import { nearestName } from '../domain/nearest-name.ts';
import { brokenRule } from '../validation/broken-rule.ts';
import { fieldCount, MAX_FIELDS } from '../validation/field-count.ts';
import { schemaFingerprint, type Validator } from '../validation/json-schema.ts';
import { PREPARED_VALIDATORS } from '../validation/prepared-validators.ts';
import { type Path, pathText } from './fault-path.ts';
import { shapeCompiler } from './shape-compiler.ts';

/** A fault of shape, with its place in the document. */
export interface ShapeFault extends Fault {
  readonly segments: Path;
  /** Whether the key itself is the fault, because it is not allowed, or its value. */
  readonly part: 'key' | 'value';
}

type ShapeResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly faults: readonly ShapeFault[] };

export type ShapeCheck<T> = (value: unknown) => ShapeResult<T>;

let compiler: Ajv2020 | null = null;

/**
 * Makes a check of a schema that names every fault. Fills missing values with defaults, in place. The schema's
 * `description` is the expectation in a fault. The schema is compiled at the first value: most are not needed at start.
 */
export function compileShape<Schema extends TSchema>(
  schema: Schema,
  maxFaults = Number.POSITIVE_INFINITY,
): ShapeCheck<Static<Schema>> {
  let compiled: Validator | null = null;
  return (value) => {
    compiled ??= PREPARED_VALIDATORS.get(schemaFingerprint(schema)) ?? compile(schema);
    // The validator is the one of this schema.
    if (compiled(value)) return { ok: true, value: value as Static<Schema> };
    return { ok: false, faults: oneForEachPath((compiled.errors ?? []).slice(0, maxFaults).map(shapeFault)) };
  };
}

/** Faults of one record that are named. A client may send a list with ten thousand wrong entries. */
const MAX_FAULTS = 100;

/** The same for a record, which a client may send: it names a limited number of faults, and takes a limited time. */
export function compileRecordShape<Schema extends TSchema>(schema: Schema): ShapeCheck<Static<Schema>> {
  const check = compileShape(schema, MAX_FAULTS);
  return (value) => {
    const fields = fieldCount(value);
    if (fields <= MAX_FIELDS) return check(value);
    return { ok: false, faults: [fault([], 'value', `${fields} fields`, `at most ${MAX_FIELDS}`)] };
  };
}

function compile(schema: TSchema): Validator {
  compiler ??= shapeCompiler();
  return compiler.compile(schema);
}

function shapeFault(error: ErrorObject): ShapeFault {
  const segments = segmentsOf(error.instancePath);
  if (error.keyword === 'additionalProperties') return unknownKey(error, segments);
  if (error.keyword === 'required') return missingKey(error, segments);
  const expected = descriptionOf(error.parentSchema) ?? brokenRule(error);
  // A secret is never repeated.
  const found = isWriteOnly(error.parentSchema) ? `another ${typeof error.data}` : foundText(error.data);
  return fault(segments, 'value', found, quotable(error) ? `${expected}, in quotes` : expected);
}

function unknownKey(error: ErrorObject, segments: Path): ShapeFault {
  const key = String(error.params.additionalProperty);
  const known = Object.keys(propertiesOf(error.parentSchema));
  const nearest = nearestName(key, known);
  const expected = nearest === null ? anyOf(known) : `a known key; did you mean ${nearest}?`;
  return fault([...segments, key], 'key', `the unknown key ${foundText(key)}`, expected);
}

function missingKey(error: ErrorObject, segments: Path): ShapeFault {
  const key = String(error.params.missingProperty);
  const expected = descriptionOf(propertiesOf(error.parentSchema)[key]) ?? 'a value';
  return fault([...segments, key], 'value', 'nothing', expected);
}

function fault(segments: Path, part: ShapeFault['part'], found: string, expected: string): ShapeFault {
  return { segments, part, path: pathText(segments), found, expected };
}

/** A number or boolean in the place of text is a text that needs quotes in YAML. */
function quotable({ keyword, schema, data }: ErrorObject): boolean {
  const wantsText = schema === 'string' || (Array.isArray(schema) && schema.includes('string'));
  return keyword === 'type' && wantsText && (typeof data === 'number' || typeof data === 'boolean');
}

/** If a value breaks several rules, only the first is reported: they share one description. */
function oneForEachPath(faults: readonly ShapeFault[]): readonly ShapeFault[] {
  const byPath = new Map<string, ShapeFault>();
  for (const each of faults) if (!byPath.has(each.path)) byPath.set(each.path, each);
  return [...byPath.values()];
}

function segmentsOf(pointer: string): Path {
  const keys = pointer.split('/').slice(1);
  return keys.map((key) => {
    return /^\d+$/.test(key) ? Number(key) : key.replaceAll('~1', '/').replaceAll('~0', '~');
  });
}

function descriptionOf(schema: unknown): string | undefined {
  const found =
    typeof schema === 'object' && schema !== null && 'description' in schema ? schema.description : undefined;
  return typeof found === 'string' ? found : undefined;
}

function isWriteOnly(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'writeOnly' in schema && schema.writeOnly === true;
}

function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> {
  const found = typeof schema === 'object' && schema !== null && 'properties' in schema ? schema.properties : undefined;
  return typeof found === 'object' && found !== null ? { ...found } : {};
}
