/** How the values of a status are read, in JSON and on single-field topics alike. */

export const MAX_TEXT_LENGTH = 256;

export const MACHINE_ID_RULE = 'letters, digits, hyphens and underscores, at most 128';
export const COUNT_RULE = 'an integer of 0 or more';
export const TEXT_RULE = `text of at most ${MAX_TEXT_LENGTH} characters`;

/** A value kept as it came, for fields that the interface does not describe (DEV-20). */
export type Scalar = string | number | boolean;

const SPACE = 0x20;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const MAX_COUNT_DIGITS = 16;

/** A counter or uptime; null if the value is neither. */
export function readCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** An integer in digits alone, as on a topic; null if the text is not one. */
export function readCountText(text: string): number | null {
  if (text.length === 0 || text.length > MAX_COUNT_DIGITS) return null;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < DIGIT_0 || code > DIGIT_9) return null;
  }
  return readCount(Number(text));
}

/** Text, or a number as text, without the blanks and NULs that PLCs pad with; null when it is neither or too long. */
export function readText(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return null;
  const text = trimPadding(value);
  return text.length > MAX_TEXT_LENGTH ? null : text;
}

/** Text without surrounding white space and NULs, which fixed-length PLC strings carry. */
export function trimPadding(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= SPACE) start++;
  while (end > start && text.charCodeAt(end - 1) <= SPACE) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}
