import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { HEADER, NUMBERED, POINT_SERIES, RECORDS } from '../../src/adapters/store/thread/received/batch-shapes.ts';
import { CONFIG_SCHEMA } from '../../src/config/config-schema.ts';
import { PLANT_SCHEMAS } from '../../src/config/plant-file/plant-schema.ts';

// The schemas of requests and answers are checked in the published documents (test/adapters/http/documents).
it.each([
  ...Object.entries({ CONFIG_SCHEMA, HEADER, NUMBERED, POINT_SERIES, ...RECORDS }),
  ...Object.entries(PLANT_SCHEMAS),
])('the schema %s is valid JSON Schema 2020-12, which the program does not check at start', (_name, schema) => {
  const ajv = new Ajv2020();
  ajv.validateSchema(schema);
  expect(ajv.errors).toBeNull();
});
