import { followGatewayClock } from '../show/clock.ts';
import { addressOf } from './address.ts';
import { doubtLine } from './live.ts';
import { learnOfChange, seenAgeMs } from './seen-age.ts';

/** Another person changed it after this one saw it. */
export interface Changed {
  readonly by: string;
  readonly at: string;
}

/** The outcome of a call of the gateway. A refusal has the gateway's own sentences. */
export type Outcome<T> =
  /** `isAct`: the call asks for a change. */
  | { readonly kind: 'done'; readonly value: T; readonly isAct?: boolean }
  | {
      readonly kind: 'refused';
      readonly isAct: boolean;
      readonly status: number;
      readonly errors: readonly string[];
      /** A write to the legacy system may have been carried out; the gateway finishes it by itself (D-55). */
      readonly isUnknown: boolean;
      readonly changed: Changed | null;
    }
  /** No answer came. Whether an act was done is not known. */
  | { readonly kind: 'noAnswer'; readonly isAct: boolean };

/** The outcome with its value changed; a refusal stays as it is. */
export function withValue<T, U>(outcome: Outcome<T>, change: (value: T) => U): Outcome<U> {
  return outcome.kind === 'done' ? { kind: 'done', value: change(outcome.value) } : outcome;
}

const TOO_MANY_REQUESTS = 429;
const INTERNAL_SERVER_ERROR = 500;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;

/** Whether it helps to ask again: no answer came, there were too many requests, or the gateway failed. */
export function mayAnswerLater(outcome: Outcome<unknown>): boolean {
  if (outcome.kind === 'refused')
    return outcome.status === TOO_MANY_REQUESTS || outcome.status >= INTERNAL_SERVER_ERROR;
  return outcome.kind === 'noAnswer';
}

const PANEL_SIGN_IN = '/api/local/session/panel';
const TIMEOUT_MS = 10_000;

/** Called at every 401, so that the page can ask who is there. */
let onSignedOut: () => void = () => undefined;

export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

/**
 * Called when an act is refused because nobody is signed in, or the role does not permit it. `again`: a person has signed
 * in by now, so the act is sent again. `told`: nobody has, and the person was told.
 */
let onNotPermitted: (status: number) => Promise<'again' | 'told' | 'no'> = async () => 'no';

export function whenNotPermitted(listener: typeof onNotPermitted): void {
  onNotPermitted = listener;
}

type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';

/** Calls the local API; the path is relative to it. A Blob is sent as its bytes. An answer that is a file goes to the browser's downloads. */
export function call<T>(method: Method, path: string, body?: object, timeoutMs = TIMEOUT_MS): Promise<Outcome<T>> {
  return request(method, `/api/local${path}`, body, timeoutMs);
}

/** Reads from the local API in a plant; undefined: in the shown one. */
export function callIn<T>(plantId: string | undefined, path: string): Promise<Outcome<T>> {
  return request('GET', addressOf(`/api/local${path}`, plantId));
}

/** Calls the business interface, which the ERP uses too. */
export function callBusiness<T>(method: Method, path: string, body?: object): Promise<Outcome<T>> {
  return request(method, `/api/v1${path}`, body);
}

/** The last act at each path, while it has no answer. */
const actsUnderWay = new Map<string, { readonly act: string; readonly outcome: Promise<Outcome<unknown>> }>();

/**
 * An act is not sent again while its answer is awaited: on a slow line a person presses twice, and means it once. After
 * another act at the same path it is sent: a switch was put on, off, and on.
 */
function request<T>(method: Method, path: string, body?: object, timeoutMs = TIMEOUT_MS): Promise<Outcome<T>> {
  if (method === 'GET' || body instanceof Blob) return send(method, path, body, timeoutMs);
  const act = `${method} ${JSON.stringify(body)}`;
  const last = actsUnderWay.get(path);
  if (last?.act === act) return last.outcome as Promise<Outcome<T>>;
  const outcome = send<T>(method, path, body, timeoutMs).finally(() => {
    if (actsUnderWay.get(path)?.outcome === outcome) actsUnderWay.delete(path);
  });
  actsUnderWay.set(path, { act, outcome });
  return outcome;
}

async function send<T>(method: Method, path: string, body: object | undefined, timeoutMs: number): Promise<Outcome<T>> {
  const outcome = await sendOnce<T>(method, path, body, timeoutMs);
  if (outcome.kind !== 'refused' || !outcome.isAct || isSignIn(method, path)) return outcome;
  if (outcome.status !== UNAUTHORIZED && outcome.status !== FORBIDDEN) return outcome;
  const next = await onNotPermitted(outcome.status);
  if (next === 'again') return sendOnce(method, path, body, timeoutMs);
  return next === 'told' ? { ...outcome, status: UNAUTHORIZED } : outcome;
}

/** A wrong PIN or password ends no session, and no act waits for it. */
function isSignIn(method: Method, path: string): boolean {
  return path.startsWith('/api/local/session') && method !== 'GET';
}

async function sendOnce<T>(
  method: Method,
  path: string,
  body: object | undefined,
  timeoutMs: number,
): Promise<Outcome<T>> {
  const isAct = method !== 'GET';
  const answer = await answerTo(method, path, body, timeoutMs);
  if (answer === null) return { kind: 'noAnswer', isAct };
  const { response, file, value } = answer;
  if (file !== null) keepAsFile(file, response);
  if (response.ok) return { kind: 'done', value: value as T, isAct };
  // A wrong PIN ends no session.
  if (response.status === UNAUTHORIZED && !(method === 'POST' && path === PANEL_SIGN_IN)) onSignedOut();
  const { status } = response;
  const changed = changedIn(response);
  // Each place that acts tells this outcome.
  if (changed !== null) learnOfChange();
  const isUnknown = response.headers.get('plantgate-outcome') === 'unknown';
  return { kind: 'refused', isAct, status, errors: errorsOf(value), isUnknown, changed };
}

interface Answer {
  readonly response: Response;
  /** For the browser's downloads; null: the answer is for the page. */
  readonly file: Blob | null;
  readonly value: unknown;
}

/** Null: the network failed, the time is over, or the answer broke off, so nothing is known of the outcome. */
async function answerTo(
  method: Method,
  path: string,
  body: object | undefined,
  timeoutMs: number,
): Promise<Answer | null> {
  const isBytes = body instanceof Blob;
  const sentAtMs = Date.now();
  try {
    const response = await fetch(addressOf(path), {
      method,
      signal: AbortSignal.timeout(timeoutMs),
      ...(body !== undefined && { body: isBytes ? body : JSON.stringify(body) }),
      headers: {
        ...(body !== undefined && { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' }),
        ...(method !== 'GET' && { 'plantgate-seen-age': String(seenAgeMs()) }),
      },
    });
    followGatewayClock(response.headers.get('date'), sentAtMs);
    if (response.ok && response.headers.get('content-disposition') !== null)
      return { response, file: await response.blob(), value: undefined };
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return { response, file: null, value: isJson ? JSON.parse(text) : text };
  } catch {
    doubtLine();
    return null;
  }
}

/** Hands a file to the browser, which keeps it among the downloads under the gateway's name for it. */
function keepAsFile(content: Blob, { headers }: Response): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = /filename="?([^";]+)/.exec(headers.get('content-disposition') ?? '')?.[1] ?? '';
  link.click();
  URL.revokeObjectURL(link.href);
}

function changedIn({ headers }: Response): Changed | null {
  const [by, at] = [headers.get('plantgate-changed-by'), headers.get('plantgate-changed-at')];
  return by === null || at === null ? null : { by: decodeURIComponent(by), at };
}

function errorsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map(String);
  if (typeof value !== 'object' || value === null) return [];
  if ('errors' in value && Array.isArray(value.errors)) return value.errors.map(String);
  return 'message' in value ? [String(value.message)] : [];
}
