import type { IncomingMessage } from 'node:http';
import { CodedError, foundText, invalidInput } from '../../domain/error.ts';
import { jsonDepthExceeds, MAX_JSON_DEPTH } from '../../domain/json-depth.ts';
import { duplicateKey } from './duplicate-key.ts';
import { HttpError } from './error-answer.ts';
import { type BodyFault, readBody } from './read-body.ts';

/**
 * The JSON body of a request: at most `maxBytes` and 64 levels (D-13), no key twice in one object. Rejects with
 * `malformed`, `invalid-input`, `too-large`, or 415 for another content type, which a form on another site could send.
 */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const contentType = request.headers['content-type'] ?? '';
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType)) {
    throw new HttpError(415, `Content-Type: found ${foundText(contentType)}, expected application/json`);
  }
  const body = await new Promise<string | BodyFault>((resolve) => readBody(request, maxBytes, resolve));
  if (body === 'aborted') throw new HttpError(400, 'body: the connection ended before it was whole');
  if (body instanceof CodedError) throw body;
  return parseJson(body);
}

function parseJson(text: string): unknown {
  if (jsonDepthExceeds(text)) {
    throw invalidInput([{ path: 'body', found: 'deeper nesting', expected: `at most ${MAX_JSON_DEPTH} levels` }]);
  }
  const value = parsed(text);
  const twice = duplicateKey(text);
  if (twice === null) return value;
  throw invalidInput([{ path: 'body', found: `${foundText(twice)} twice`, expected: 'each key once' }]);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CodedError('malformed', `body: invalid JSON: ${why}`);
  }
}
