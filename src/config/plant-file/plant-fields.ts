import type { Static, TSchema } from 'typebox';
import * as Type from 'typebox';
import { anyOf } from '../../domain/error.ts';
import {
  MAX_MACHINE_ID_LENGTH,
  MAX_TOPIC_ROOT_LENGTH,
  type MachineId,
  TOPIC_ROOT_RULE,
} from '../../domain/machine/machine-names.ts';
import { LOCAL_DATE_TIME_RULE, UTC_DATE_TIME_RULE } from '../../domain/plant/plant-date-time.ts';

/** The values of plant records, each with the rule that a fault names. */

/** A longer id is refused. */
const MAX_ID_LENGTH = 128;
/** A longer text is refused. */
const MAX_TEXT_LENGTH = 1_000;
const MIN_API_KEY_LENGTH = 20;
/** A longer key or password is refused. */
const MAX_SECRET_LENGTH = 256;
/** A scanner's text that is shorter is no scan. */
const MIN_BADGE_LENGTH = 3;
/** A larger catalog id is refused: it must be a positive number of 32 bits. */
const MAX_CATALOG_ID = 2_147_483_647;

/** A longer topic filter of an MQTT account is refused. */
const MAX_FILTER_LENGTH = 256;
/** More levels of such a filter are refused. */
const MAX_FILTER_LEVELS = 32;

/** A higher ideal rate, in parts a minute, is refused. */
const MAX_RATE = 100_000;
/** A larger target of a shift, in parts, is refused. */
const MAX_TARGET = 100_000_000;

const PRINTABLE = '^[^\\u0000-\\u001f\\u007f]*$';
const ID = '^[^\\s\\u0000-\\u001f\\u007f]([^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f])?$';
const LEVEL = '(\\+|%c|((?!%c)[^/+#\\u0000-\\u001f\\u007f])*)';
const BARE_ID = '^[^\\s/\\u0000-\\u001f\\u007f]([^/\\u0000-\\u001f\\u007f]*[^\\s/\\u0000-\\u001f\\u007f])?$';

export const id = Type.String({
  pattern: ID,
  maxLength: MAX_ID_LENGTH,
  description: `text of 1 to ${MAX_ID_LENGTH} characters, no space at its ends`,
});
/** HTTP Basic ends the name at its first colon, and takes no control characters (RFC 7617). */
export const serialNumber = Type.String({
  pattern: ID.replaceAll('\\u0000-\\u001f\\u007f', ':\\u0000-\\u001f\\u007f-\\u009f'),
  maxLength: MAX_ID_LENGTH,
  description: `text of 1 to ${MAX_ID_LENGTH} characters without a colon, which HTTP Basic cannot carry, no space at its ends`,
});
/** Without any document-id or internal prefix, so without a slash. */
export const bareId = Type.String({
  pattern: BARE_ID,
  maxLength: MAX_ID_LENGTH,
  description: `text of 1 to ${MAX_ID_LENGTH} characters without a slash, no space at its ends`,
});
/**
 * The interface has these words in the place of an id, and a client removes dots from a path, so no request for them
 * would arrive.
 */
export const taskId = apartFrom(bareId, ['reasonCodes', 'locations', '.', '..']);
export const coilId = apartFrom(id, ['search', '.', '..']);
export const name = Type.String({
  pattern: PRINTABLE,
  minLength: 1,
  maxLength: MAX_TEXT_LENGTH,
  description: `text of 1 to ${MAX_TEXT_LENGTH} characters on one line`,
});
export const words = Type.String({
  pattern: PRINTABLE,
  maxLength: MAX_TEXT_LENGTH,
  description: `text of at most ${MAX_TEXT_LENGTH} characters on one line`,
});
export const secret = Type.String({
  minLength: 1,
  maxLength: MAX_SECRET_LENGTH,
  writeOnly: true,
  description: `text of 1 to ${MAX_SECRET_LENGTH} characters`,
});
/** The text that a scanner types. */
export const badge = Type.String({
  pattern: ID,
  minLength: MIN_BADGE_LENGTH,
  maxLength: MAX_ID_LENGTH,
  writeOnly: true,
  description: `text of ${MIN_BADGE_LENGTH} to ${MAX_ID_LENGTH} characters, no space at its ends`,
});
export const pin = Type.String({ pattern: '^[0-9]{4}$', writeOnly: true, description: 'four digits, as text' });
/** Keys are hashed fast (plant-codec.ts), so a short key could be guessed. */
export const apiKey = Type.String({
  minLength: MIN_API_KEY_LENGTH,
  maxLength: MAX_SECRET_LENGTH,
  writeOnly: true,
  description: `text of ${MIN_API_KEY_LENGTH} to ${MAX_SECRET_LENGTH} characters; \`plantgate key create\` makes one`,
});
export const flag = Type.Boolean({ description: 'true or false' });
export const amount = Type.Number({ minimum: 0, description: 'a number of 0 or more' });
/** Parts a minute, as a roll former makes them. */
export const rate = Type.Number({
  exclusiveMinimum: 0,
  maximum: MAX_RATE,
  description: `a number above 0, at most ${MAX_RATE}`,
});
export const target = Type.Integer({
  minimum: 1,
  maximum: MAX_TARGET,
  description: `a whole number from 1 to ${MAX_TARGET}`,
});
export const gauge = Type.Integer({ minimum: 0, maximum: 100, description: 'a whole number from 0 to 100' });
export const utcDateTime = Type.String({ format: 'utc-date-time', description: UTC_DATE_TIME_RULE });
export const localDateTime = Type.String({ format: 'local-date-time', description: LOCAL_DATE_TIME_RULE });

export const catalogId = Type.Integer({
  minimum: 1,
  maximum: MAX_CATALOG_ID,
  description: `a whole number from 1 to ${MAX_CATALOG_ID}`,
});
export const machineId = Type.Unsafe<MachineId>({
  type: 'string',
  format: 'machine-id',
  description: `letters, digits, hyphens and underscores, at most ${MAX_MACHINE_ID_LENGTH}`,
});
// The domain judges its form, and its relation to the others.
export const topicRoot = Type.String({ maxLength: MAX_TOPIC_ROOT_LENGTH, description: TOPIC_ROOT_RULE });

/** A topic filter of MQTT, in which a whole level may be `%c`, the client id. */
export const accountFilter = Type.String({
  pattern: `^(#|${LEVEL}(/${LEVEL}){0,${MAX_FILTER_LEVELS - 1}}(/#)?)$`,
  minLength: 1,
  maxLength: MAX_FILTER_LENGTH,
  description: `a topic filter of 1 to ${MAX_FILTER_LENGTH} characters and at most ${MAX_FILTER_LEVELS} levels; #, + and %c (the client id) stand alone in their level, # at the end`,
});

/** One of these words. */
export function choice<const Choices extends readonly [string, ...string[]]>(choices: Choices) {
  return Type.Unsafe<Choices[number]>({ enum: [...choices], description: anyOf(choices) });
}

/** A short list without double entries. */
export function listOf<Item extends TSchema>(item: Item, maxItems: number, what: string) {
  return Type.Array(item, {
    maxItems,
    uniqueItems: true,
    description: `a list of at most ${maxItems} ${what}, each once`,
  });
}

/** A field that may be null if its value is unknown, or left out. */
export function orNull<Schema extends TSchema & { readonly type: string; readonly description?: string }>(
  schema: Schema,
) {
  const description = `${schema.description}, or null`;
  return Type.Optional(Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, 'null'], description }));
}

/** An id that may not be one of these words. */
function apartFrom(schema: typeof id & { readonly description?: string }, words: readonly string[]) {
  const description = `${schema.description}, and not ${anyOf(words)}`;
  return Type.Unsafe<string>({ ...schema, not: { enum: [...words] }, description });
}

/** A longer id of a plant is refused: folders and addresses bear it. */
const MAX_PLANT_ID_LENGTH = 63;
export const PLANT_ID_PATTERN = `^[a-z0-9]([a-z0-9-]{0,${MAX_PLANT_ID_LENGTH - 2}}[a-z0-9])?$`;
export const PLANT_ID_RULE = `1 to ${MAX_PLANT_ID_LENGTH} small letters, digits and hyphens, no hyphen at its ends`;
/** A server with more plants is refused. */
export const MAX_PLANTS = 100;

/** The plants of a key or a person. */
export const plants = Type.Array(
  Type.String({ pattern: `${PLANT_ID_PATTERN}|^\\*$`, description: `the id of a plant, or "*" for all` }),
  {
    minItems: 1,
    maxItems: MAX_PLANTS,
    uniqueItems: true,
    description: `a list of 1 to ${MAX_PLANTS} plants, each once; "*" is each plant`,
  },
);
