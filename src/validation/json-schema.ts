import { hash } from 'node:crypto';
import type { ErrorObject } from 'ajv/dist/2020.js';

/**
 * Settings of ajv that let it compile quickly. It compiles the schema of JSON Schema itself to check each schema with,
 * which takes a third of a second at each start: `test/validation/json-schema.test.ts` checks the schemas instead. Its
 * optimization of the made code is off, because it takes half of the time, and V8 optimizes as well.
 */
export const QUICK_TO_COMPILE = { meta: false, validateSchema: false, code: { optimize: false } } as const;

/** A validator that ajv made, now or when the program was bundled. */
export interface Validator {
  (value: unknown): boolean;
  readonly errors?: readonly ErrorObject[] | null;
}

/** The same for schemas that are equal, in each process. */
export function schemaFingerprint(schema: object): string {
  return hash('sha256', JSON.stringify(schema));
}
