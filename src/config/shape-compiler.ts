import { _, Ajv2020, type CodeOptions, type KeywordCxt } from 'ajv/dist/2020.js';
import { QUICK_TO_COMPILE } from '../validation/json-schema.ts';
import { parseByteSize } from './byte-size.ts';
import { hasDoubleEntry, SHAPE_FORMATS } from './shape-formats.ts';

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
      code: _`require("./src/config/byte-size.ts").parseByteSize`,
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
      code: _`require("./src/config/shape-formats.ts").hasDoubleEntry`,
    });
    context.fail(_`${hasDouble}(${data})`);
  },
} as const;

/** Compiles the schemas of the configuration and of plant files. `code` has more settings for the bundler. */
export function shapeCompiler(code: CodeOptions = {}): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    allErrors: true,
    verbose: true,
    useDefaults: true,
    allowUnionTypes: true,
    formats: SHAPE_FORMATS,
    ...QUICK_TO_COMPILE,
    code: { ...QUICK_TO_COMPILE.code, ...code },
  });
  return ajv.addKeyword(BYTE_SIZE).removeKeyword('uniqueItems').addKeyword(UNIQUE_ITEMS);
}
