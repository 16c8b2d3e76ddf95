import path from 'node:path';
import { _ } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import type { Plugin } from 'esbuild';
import { CONFIG_SCHEMA } from '../src/config/config-schema.ts';
import { ORDER_SCHEMA, PLANT_LISTS_SCHEMA } from '../src/config/plant-file/plant-lists-schema.ts';
import { PLANT_SCHEMAS } from '../src/config/plant-file/plant-schema.ts';
import { schemaCompiler, schemaFingerprint } from '../src/validation/schema-compiler.ts';

const root = path.resolve(import.meta.dirname, '..');

/** The schemas that a start needs. */
const SCHEMAS = [CONFIG_SCHEMA, PLANT_LISTS_SCHEMA, ORDER_SCHEMA, ...Object.values(PLANT_SCHEMAS)];

/** The table of `src/validation/prepared-validators.ts` as a CommonJS module, with a validator for each schema. */
export function preparedValidators(): string {
  const ajv = schemaCompiler({
    code: {
      source: true,
      optimize: true,
      formats: _`require("./src/validation/schema-formats.ts").SCHEMA_FORMATS`,
    },
  });
  const names = Object.fromEntries(SCHEMAS.map((schema) => [`shape${schemaFingerprint(schema)}`, schema] as const));
  for (const [name, schema] of Object.entries(names)) ajv.addSchema(schema, name);
  const code = standalone.default(ajv, Object.fromEntries(Object.keys(names).map((name) => [name, name])));
  const entries = Object.keys(names).map((name) => `["${name.slice('shape'.length)}", exports.${name}]`);
  return `${code}\nexports.PREPARED_VALIDATORS = new Map([${entries.join(', ')}]);`;
}

/** Puts the validators in place of the empty table that is in the sources. */
export const validatorsPrepared: Plugin = {
  name: 'validators prepared',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /\/prepared-validators\.ts$/ }, () => ({ path: 'validators', namespace: 'prepared' }));
    onLoad({ filter: /./, namespace: 'prepared' }, () => ({
      contents: preparedValidators(),
      loader: 'js',
      resolveDir: root,
    }));
  },
};
