import { CodedError, invalidInput } from '../../error.ts';
import { errorMessage } from '../../error-text.ts';
import { jsonDepthExceeds, MAX_JSON_DEPTH } from '../../json/json-depth.ts';
import { jsonValuesExceed } from '../../json/json-values.ts';
import { causeOfUnreadable } from './likely-cause.ts';
import { withoutPlus } from './number-forms.ts';
import { readPayloadText } from './payload-text.ts';

/** JSON values in one message of a device: other machines wait while it is read. More are refused. */
const MAX_VALUES = 12_000;

/** The JSON of a payload, or a refusal with the likely cause. */
export function parsePayload(payload: string): unknown {
  const read = readPayloadText(payload);
  if (read.kind === 'utf-16') return invalidInput([{ path: 'body', found: 'UTF-16', expected: 'JSON in UTF-8' }]);
  const text = read.kind === 'tolerated' ? read.text : payload;
  if (jsonDepthExceeds(text)) {
    return invalidInput([{ path: 'body', found: 'deeper nesting', expected: `at most ${MAX_JSON_DEPTH} levels` }]);
  }
  if (jsonValuesExceed(text, MAX_VALUES)) {
    return invalidInput([{ path: 'body', found: 'more', expected: `at most ${MAX_VALUES} values` }]);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    return parseWithoutPlus(text) ?? unreadable(text, error);
  }
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

function unreadable(text: string, error: unknown): CodedError {
  const cause = causeOfUnreadable(text);
  const found = errorMessage(error);
  const fault = cause === null ? `invalid JSON: ${found}` : `invalid JSON, likely ${cause} (${found})`;
  return new CodedError('invalid-input', `body: ${fault}`);
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
