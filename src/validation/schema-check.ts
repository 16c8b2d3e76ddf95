import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Static, TSchema } from 'typebox';
import type { Result } from '../domain/result.ts';
import { PREPARED_VALIDATORS } from './prepared-validators.ts';
import { schemaCompiler, schemaFingerprint, type Validator } from './schema-compiler.ts';
import { type FaultStyle, faultAt, faultOf, type SchemaFault } from './schema-fault.ts';

export type SchemaCheck<T> = (
  value: unknown,
) => Result<{ readonly value: T }, { readonly faults: readonly SchemaFault[] }>;

/** Faults of one value that are named. A client may send a list with ten thousand wrong entries. */
const MAX_FAULTS = 100;
/** More fields than any valid object has. Naming thousands of unknown ones would delay machines. */
const MAX_FIELDS = 1_000;

/**
 * Makes the check of a schema, which names the faults. Fills missing values with defaults, in place. The schema is
 * compiled at the first value, because all schemas together would delay the start.
 */
export function schemaCheck<Schema extends TSchema>(
  schema: Schema,
  style: FaultStyle,
  maxFaults = MAX_FAULTS,
): SchemaCheck<Static<Schema>> {
  let compiled: Validator | null = null;
  return (value) => {
    const fields = fieldCount(value);
    if (fields > MAX_FIELDS) {
      return { ok: false, faults: [faultAt([], style, `${fields} fields`, `at most ${MAX_FIELDS}`)] };
    }
    compiled ??= PREPARED_VALIDATORS.get(schemaFingerprint(schema)) ?? compile(schema, maxFaults > 1);
    // The validator is the one of this schema.
    if (compiled(value)) return { ok: true, value: value as Static<Schema> };
    const errors = (compiled.errors ?? []).slice(0, maxFaults);
    return { ok: false, faults: faultsOf(errors, style) };
  };
}

const compilers = new Map<boolean, ReturnType<typeof schemaCompiler>>();

function compile(schema: TSchema, allErrors: boolean): Validator {
  const compiler = compilers.get(allErrors) ?? schemaCompiler({ allErrors });
  compilers.set(allErrors, compiler);
  return compiler.compile(schema);
}

/** The number of fields of an object; 0 for a list, which its schema judges, and for every other value. */
function fieldCount(value: unknown): number {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value).length : 0;
}

/** If a value of a file breaks several rules, only the first is reported: they share one description. */
function faultsOf(errors: readonly ErrorObject[], style: FaultStyle): readonly SchemaFault[] {
  const faults = errors.map((error) => faultOf(error, style));
  if (style !== 'file') return faults;
  return [...Map.groupBy(faults, ({ path }) => path).values()].flatMap((same) => same.slice(0, 1));
}
