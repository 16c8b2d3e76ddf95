/**
 * For ajv: it compiles the schema of JSON Schema itself to check each schema with, which takes a third of a second at each
 * start. `test/engine/json-schema.test.ts` checks the schemas instead.
 */
export const WITHOUT_META_SCHEMA = { meta: false, validateSchema: false } as const;
