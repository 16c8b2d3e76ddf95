import { causeOfNumber } from './number-forms.ts';
import { withoutMark } from './payload.ts';

/** The reading of the values of a status, the same in JSON and on single-field topics. */

/** A status with a longer text is malformed. */
export const MAX_TEXT_LENGTH = 256;

export const MACHINE_ID_RULE = 'letters, digits, hyphens and underscores, at most 128';
export const SWITCH_RULE = 'true, false, 1, 0, on, off, yes or no';
const COUNT_RULE = 'an integer of 0 or more';
export const TEXT_RULE = `text of at most ${MAX_TEXT_LENGTH} characters`;
export const NUMBER_AS_TEXT_RULE = `a number up to ${Number.MAX_SAFE_INTEGER}; send a longer one as text`;

/** An unchanged value of a field that the interface does not describe (DEV-20). */
export type Scalar = string | number | boolean;

const SPACE = 0x20;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
/** A longer row of digits is no count. */
const MAX_COUNT_DIGITS = 16;
/** A longer text is no number. */
const MAX_NUMBER_LENGTH = 32;
/** PLCs of Siemens write a plus in front. */
const DECIMAL = /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/;

const SWITCH_WORDS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['on', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['off', false],
  ['no', false],
]);
const LONGEST_SWITCH_WORD = 5;

/** A boolean, 0, 1, or one of the words in any case with blanks round it (D-32); null for anything else. */
export function readSwitch(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return value === 0 || value === 1 ? value === 1 : null;
  if (typeof value !== 'string') return null;
  const word = trimPadding(value);
  return word.length > LONGEST_SWITCH_WORD ? null : (SWITCH_WORDS.get(word.toLowerCase()) ?? null);
}

/** The rule of a count, with the likely form of a value that breaks it. */
export function countRule(value: unknown): string {
  const cause = typeof value === 'string' ? causeOfNumber(trimPadding(value)) : null;
  return cause === null ? COUNT_RULE : `${COUNT_RULE}; it looks like ${cause}`;
}

/** A counter or uptime: an integer of 0 or more, as a number or as decimal text with blanks round it (D-33); else null. */
export function readCount(value: unknown): number | null {
  if (typeof value === 'string') return readCountText(trimPadding(value));
  // Adding 0 turns -0 into 0.
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value + 0 : null;
}

function readCountText(text: string): number | null {
  const digits = readDigits(text);
  if (digits !== null || text.length > MAX_NUMBER_LENGTH || !DECIMAL.test(text)) return digits;
  return readCount(Number(text));
}

/** An integer in digits alone; null if the text is not one. */
export function readDigits(text: string): number | null {
  if (text.length === 0 || text.length > MAX_COUNT_DIGITS) return null;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < DIGIT_0 || code > DIGIT_9) return null;
  }
  return readCount(Number(text));
}

/** A text that is longer with its padding is malformed: V8 would keep the whole text in memory for the part without padding. */
const MAX_PADDED_LENGTH = 1_024;

/**
 * Text, or a number as text, without the blanks and NULs that PLCs pad with; null when it is neither or too long. A larger
 * number has lost its last digits in JSON already, so it would name another part or person.
 */
export function readText(value: unknown): string | null {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER ? null : String(value);
  if (typeof value !== 'string' || value.length > MAX_PADDED_LENGTH) return null;
  const text = trimPadding(value);
  return text.length > MAX_TEXT_LENGTH ? null : text;
}

const QUOTE = 0x22;

/** The text of a payload that is one value alone: without a byte order mark and padding. */
export function loneText(payload: string): string {
  return trimPadding(withoutMark(payload));
}

/** The same of a boolean or a number: without the quotes that senders of JSON put round it, too. */
export function loneValue(payload: string): string {
  const text = loneText(payload);
  const last = text.length - 1;
  const isQuoted = last > 0 && text.charCodeAt(0) === QUOTE && text.charCodeAt(last) === QUOTE;
  return isQuoted ? trimPadding(text.slice(1, last)) : text;
}

/** Text without surrounding white space and NULs, which fixed-length PLC strings carry. */
export function trimPadding(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= SPACE) start++;
  while (end > start && text.charCodeAt(end - 1) <= SPACE) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}
