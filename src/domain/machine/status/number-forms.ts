/**
 * Forms in which controllers write numbers that are no decimal numbers, each with its remedy. The text stands alone, or
 * behind the colon of a JSON field.
 */
const FORMS: readonly (readonly [form: RegExp, cause: string])[] = [
  [/^[+-]?(?:2|8|16)#\w/, 'a number with its base in front, as 16#1F: send decimal digits'],
  [/^[+-]?0[xX][\da-fA-F]/, 'a hexadecimal number: send decimal digits'],
  [/^[+-]?L?T(?:IME)?#/i, 'a time, as T#5s: send milliseconds in decimal digits'],
  [
    /^[+-]?(?:\d+\.#|nan\b|inf)/i,
    'NaN or Infinity (1.#QNAN): leave the field out until the controller has a valid value',
  ],
  [/^[+-]?\d+\.(?!\d)/, 'a point with no digit behind it: leave the point out'],
  [/^[+-]?\.\d/, 'a point with no digit in front of it: send 0.5, not .5'],
  [/^\ufffd/, 'bytes in front, perhaps the header of an S7 STRING: send from its first character on'],
];

/** The longest text that is looked at. */
const MAX_LENGTH = 64;

/** The form of a text that is no decimal number, with its remedy; null if none is recognised. */
export function causeOfNumber(text: string): string | null {
  const looked = text.slice(0, MAX_LENGTH);
  return FORMS.find(([form]) => form.test(looked))?.[1] ?? null;
}

/** The places at which a value begins that is no string. One pass, because a text may have thousands of quotes. */
function* valueStarts(text: string): Iterable<number> {
  let isValueNext = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? '';
    if (character === '"') {
      index = endOfString(text, index);
      isValueNext = false;
    } else if (BEFORE_VALUES.has(character)) isValueNext = true;
    else if (isValueNext && text.charCodeAt(index) > SPACE) {
      yield index;
      isValueNext = false;
    }
  }
}

/** The place of the quote that ends the string, or the end of the text. */
function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index;
}

const BEFORE_VALUES: ReadonlySet<string> = new Set([':', '[', ',']);
const SPACE = 0x20;
/** Values that are looked at for a form. */
const MAX_VALUES = 1_000;

/** The first value of a text that would be JSON, but for a number in such a form; null without one. */
export function causeOfJsonNumber(text: string): string | null {
  let looked = 0;
  for (const start of valueStarts(text)) {
    const cause = text[start] === '\ufffd' ? null : causeOfNumber(text.slice(start, start + MAX_LENGTH));
    if (cause !== null || ++looked === MAX_VALUES) return cause;
  }
  return null;
}

/** The text without a plus in front of numbers, which JSON does not have and controllers of Siemens write (D-33). */
export function withoutPlus(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const start of valueStarts(text)) {
    if (text[start] !== '+' || !/\d/.test(text[start + 1] ?? '')) continue;
    parts.push(text.slice(from, start));
    from = start + 1;
  }
  return parts.join('') + text.slice(from);
}
