/**
 * Settings of ajv that let it compile quickly. It compiles the schema of JSON Schema itself to check each schema with,
 * which takes a third of a second at each start: `test/engine/json-schema.test.ts` checks the schemas instead. Its
 * optimization of the made code is off, because it takes half of the time, and V8 optimizes as well.
 */
export const QUICK_TO_COMPILE = { meta: false, validateSchema: false, code: { optimize: false } } as const;
