import { errorMessage } from '../../error-text.ts';
import { jsonDepthExceeds, jsonValuesExceed, MAX_JSON_DEPTH } from '../../json/json.ts';
import type { Result } from '../../result.ts';
import { causeOfUnreadable } from './likely-cause.ts';
import { withoutPlus } from './number-forms.ts';

/** JSON values in one message of a device: other machines wait while it is read. More are refused. */
const MAX_VALUES = 12_000;

/** The JSON of a payload, or a refusal with the likely cause. */
export function parsePayload(payload: string): Result<{ readonly body: unknown }> {
  const read = readPayloadText(payload);
  if (read.kind === 'utf-16') return refused('UTF-16', 'JSON in UTF-8');
  const text = read.kind === 'tolerated' ? read.text : payload;
  if (jsonDepthExceeds(text)) return refused('deeper nesting', `at most ${MAX_JSON_DEPTH} levels`);
  if (jsonValuesExceed(text, MAX_VALUES)) return refused('more', `at most ${MAX_VALUES} values`);
  try {
    return { ok: true, body: JSON.parse(text) };
  } catch (error) {
    const body = parseWithoutPlus(text);
    return body === null ? refused('no JSON', 'JSON', unreadable(text, error)) : { ok: true, body };
  }
}

function refused(found: string, expected: string, sentence?: string): Result<never> {
  return { ok: false, faults: [{ path: 'body', found, expected, ...(sentence !== undefined && { sentence }) }] };
}

/** Reads what is JSON but for a plus in front of numbers; null for anything else. */
function parseWithoutPlus(text: string): unknown {
  const plain = withoutPlus(text);
  if (plain.length === text.length) return null;
  try {
    return JSON.parse(plain);
  } catch {
    // The fault of the text as it came is reported instead.
    return null;
  }
}

function unreadable(text: string, error: unknown): string {
  const cause = causeOfUnreadable(text);
  const found = errorMessage(error);
  return cause === null ? `body: invalid JSON: ${found}` : `body: invalid JSON, likely ${cause} (${found})`;
}

const MACHINE_ID_IN_TEXT = /"(?:machine|device)[-_]?id"\s*:\s*"([\w-]{1,128})"/i;

/**
 * The machine that a payload names, even if the payload is no JSON, or UTF-16 read byte by byte; null if it names none.
 */
export function namedMachine(payload: string): string | null {
  const searched = payload.slice(0, MAX_SEARCHED_LENGTH).replaceAll('\0', '');
  return MACHINE_ID_IN_TEXT.exec(searched)?.[1] ?? null;
}

/** The beginning of broken JSON that is searched for a machine id. */
const MAX_SEARCHED_LENGTH = 8_192;

/**
 * The text of a payload and the flaws that PLCs put into it (D-34): a byte order mark in front, NUL bytes or blanks behind,
 * or another encoding than UTF-8.
 */
type PayloadText =
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
