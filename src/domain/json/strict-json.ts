import { CodedError, foundText, invalidInput } from '../error.ts';
import { errorMessage } from '../error-text.ts';
import { duplicateKey } from './duplicate-key.ts';
import { halfCharacter } from './half-character.ts';
import { jsonDepthExceeds, MAX_JSON_DEPTH } from './json-depth.ts';

/** Reads JSON of at most 64 levels (D-13), no key twice in one object, of whole characters. Throws `malformed` or `invalid-input`. */
export function parseStrictJson(text: string): unknown {
  if (jsonDepthExceeds(text)) {
    throw invalidInput([{ path: 'body', found: 'deeper nesting', expected: `at most ${MAX_JSON_DEPTH} levels` }]);
  }
  const value = parsed(text);
  const half = halfCharacter(text);
  if (half !== null) throw invalidInput([{ path: 'body', found: half, expected: 'whole characters' }]);
  const twice = duplicateKey(text);
  if (twice === null) return value;
  throw invalidInput([{ path: 'body', found: `${foundText(twice)} twice`, expected: 'each key once' }]);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = errorMessage(error);
    throw new CodedError('malformed', `body: invalid JSON: ${why}`);
  }
}
