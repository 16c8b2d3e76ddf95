/**
 * The text of a payload and the flaws that PLCs put into it (D-34): a byte order mark in front, NUL bytes or blanks behind,
 * or another encoding than UTF-8.
 */
export type PayloadText =
  | { readonly kind: 'clean' }
  /** `text` is the payload without the removed bytes; `taken` names them. */
  | { readonly kind: 'tolerated'; readonly text: string; readonly taken: string }
  | { readonly kind: 'utf-16' };

const CLEAN: PayloadText = { kind: 'clean' };
const UTF_16: PayloadText = { kind: 'utf-16' };

const BYTE_ORDER_MARK = '\ufeff';
const NUL = 0;
const BLANK = 0x20;
const LAST_ASCII = 0x7f;

/** The byte order mark of UTF-16 is not UTF-8: it was decoded as two replacement characters. */
const UTF_16_START = /^(?:\ufffd\ufffd(?:[^\0]\0|\0[^\0])|[^\0]\0[^\0]|\0[^\0])/;

/**
 * The padding at the end of a payload. The search starts only at the beginning of a row of blanks. If it started at each
 * blank, a row of 60,000 blanks inside the payload would take seconds.
 */
const PADDING_BEHIND = /(?<![\s\0])[\s\0]+$/;

/** The payload without a byte order mark in front. */
export function withoutMark(payload: string): string {
  return payload.startsWith(BYTE_ORDER_MARK) ? payload.slice(BYTE_ORDER_MARK.length) : payload;
}

/** Checks both ends of a payload that was decoded as UTF-8. */
export function readPayloadText(payload: string): PayloadText {
  if (payload.length === 0) return CLEAN;
  const isPlainStart =
    payload.charCodeAt(0) !== NUL && payload.charCodeAt(0) <= LAST_ASCII && payload.charCodeAt(1) !== NUL;
  if (isPlainStart && payload.charCodeAt(payload.length - 1) > BLANK) return CLEAN;
  if (UTF_16_START.test(payload)) return UTF_16;
  const taken: string[] = [];
  const unmarked = withoutMark(payload);
  if (unmarked !== payload) taken.push('a byte order mark in front');
  const text = unmarked.replace(PADDING_BEHIND, '');
  if (text !== unmarked) taken.push('NUL bytes or blanks behind');
  return taken.length === 0 ? CLEAN : { kind: 'tolerated', text, taken: taken.join(' and ') };
}
