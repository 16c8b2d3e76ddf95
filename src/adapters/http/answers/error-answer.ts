import { CodedError, type ErrorCode, faultText } from '../../../domain/error.ts';

/** The HTTP status of each error code. A surface may have another one for some codes (`Surface.statuses`). */
const STATUS_OF: Readonly<Record<ErrorCode, number>> = {
  'invalid-input': 400,
  malformed: 400,
  'unknown-machine': 404,
  'not-found': 404,
  conflict: 409,
  'key-reused': 422,
  unauthenticated: 401,
  'not-permitted': 403,
  'not-licensed': 403,
  'too-large': 413,
  'rate-limited': 429,
  'store-unavailable': 503,
  held: 503,
  'agent-unavailable': 503,
  'outcome-unknown': 503,
  internal: 500,
};

export interface ErrorBody {
  readonly errors: readonly string[];
}

/** `{errors}` with one sentence a fault (ERR-01). */
export function errorBody(error: CodedError): ErrorBody {
  return { errors: error.faults.length > 0 ? error.faults.map(faultText) : [error.message] };
}

/** A refusal of the HTTP adapter with its own status, such as 405, 415, 421 or 429. It has no error code. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.headers = headers;
  }
}

/** The refusal of a sender with more requests than its rate permits. */
export function tooOften(sender: string, perSecond: number, atOnce: number): HttpError {
  const message = `Too many requests of ${sender}, at most ${perSecond} a second and ${atOnce} at once are allowed: wait a second`;
  return new HttpError(429, message, { 'Retry-After': '1' });
}

/** The answer to a failed request; each surface has its own words for it. */
export interface ErrorAnswer {
  /** Null for an HttpError. */
  readonly code: ErrorCode | null;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: readonly string[];
  /** Where each fault lies and what was found there: sentences that the interface fixes have no room for it. */
  readonly places: readonly string[];
}

/** The answer to a fault of the gateway does not show its internals. */
export function errorAnswer(error: unknown): ErrorAnswer {
  if (error instanceof HttpError) {
    return { code: null, status: error.status, headers: error.headers, errors: [error.message], places: [] };
  }
  if (!(error instanceof CodedError) || error.code === 'internal') {
    const errors = ['internal error: see the gateway’s log and diagnostics'];
    return { code: 'internal', status: 500, headers: {}, errors, places: [] };
  }
  const { code } = error;
  const places = error.faults.map(({ path, found }) => `${path}: found ${found}`);
  return { code, status: STATUS_OF[code], headers: HEADERS_OF[code] ?? {}, ...errorBody(error), places };
}

const HEADERS_OF: Partial<Record<ErrorCode, Readonly<Record<string, string>>>> = {
  unauthenticated: { 'WWW-Authenticate': 'ApiKey' },
  'rate-limited': { 'Retry-After': '5' },
  held: { 'Retry-After': '5' },
};
