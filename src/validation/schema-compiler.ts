import { hash } from 'node:crypto';
import { _, Ajv2020, type CodeOptions, type ErrorObject, type KeywordCxt } from 'ajv/dist/2020.js';
import { parseByteSize } from './byte-size.ts';
import { hasDoubleEntry, SCHEMA_FORMATS } from './schema-formats.ts';

/** A validator that ajv made, now or when the program was bundled. */
export interface Validator {
  (value: unknown): boolean;
  readonly errors?: readonly ErrorObject[] | null;
}

/** A hash that is equal for equal schemas, in each process. */
export function schemaFingerprint(schema: object): string {
  return hash('sha256', JSON.stringify(schema));
}

/** The range of a keyword `byteSize`, in bytes. */
export interface ByteRange {
  readonly minimum: number;
  readonly maximum: number;
}

/** The keyword `byteSize` turns `2GB` into a number of bytes. */
const BYTE_SIZE = {
  keyword: 'byteSize',
  code(context: KeywordCxt): void {
    const { gen, data, it } = context;
    const { minimum, maximum }: ByteRange = context.schema;
    const parse = gen.scopeValue('func', {
      ref: parseByteSize,
      code: _`require("./src/validation/byte-size.ts").parseByteSize`,
    });
    const bytes = gen.const('bytes', _`${parse}(${data})`);
    context.fail(_`${bytes} === null || ${bytes} < ${minimum} || ${bytes} > ${maximum}`);
    gen.if(_`${bytes} !== null`, () => gen.assign(_`${it.parentData}[${it.parentDataProperty}]`, bytes));
  },
};

/** The library's keyword of this name compares each object of a list with each other one. */
const UNIQUE_ITEMS = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  error: { message: 'must have each entry once' },
  code(context: KeywordCxt): void {
    const { gen, data } = context;
    const hasDouble = gen.scopeValue('func', {
      ref: hasDoubleEntry,
      code: _`require("./src/validation/schema-formats.ts").hasDoubleEntry`,
    });
    context.fail(_`${hasDouble}(${data})`);
  },
} as const;

interface CompilerOptions {
  /** Whether a validator goes on after the first fault. */
  readonly allErrors?: boolean;
  /** More settings for the bundler. */
  readonly code?: CodeOptions;
}

/**
 * The one compiler of schemas. ajv compiles the schema of JSON Schema itself to check each schema with, which takes a
 * third of a second at each start: `test/validation/schemas.test.ts` checks the schemas instead. The optimization of the
 * made code is off, because it takes half of the time, and V8 optimizes as well.
 */
export function schemaCompiler({ allErrors = true, code = {} }: CompilerOptions = {}): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    allErrors,
    verbose: true,
    useDefaults: true,
    allowUnionTypes: true,
    formats: SCHEMA_FORMATS,
    meta: false,
    validateSchema: false,
    code: { optimize: false, ...code },
  });
  return ajv.addKeyword(BYTE_SIZE).removeKeyword('uniqueItems').addKeyword(UNIQUE_ITEMS);
}
