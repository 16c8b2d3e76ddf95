/**
 * Settings of ajv that let it compile quickly. It compiles the schema of JSON Schema itself to check each schema with, which
 * takes a third of a second at each start: `test/engine/json-schema.test.ts` checks the schemas instead. It optimizes the
 * code that it makes, which takes as long as all else, and which V8 does as well.
 */
export const QUICK_TO_COMPILE = { meta: false, validateSchema: false, code: { optimize: false } } as const;
