import { jsonOrNull } from '../json/json.ts';

/** The meaning of the central server's answer for one row (UP-02, UP-05). */
export type CentralVerdict =
  | { readonly kind: 'taken' }
  /** The server refuses the row, and would refuse it again: the row is set aside with the server's words. */
  | {
      readonly kind: 'refused';
      readonly reason: string;
      /** The refusal may concern our key rather than the row. */
      readonly doubtsKey?: true;
    }
  /** The server cannot take it at the moment; `forMs` is the wait that it asks for. */
  | {
      readonly kind: 'later';
      readonly detail: string;
      readonly forMs: number | null;
      /** Another program may have answered in the server's place. */
      readonly doubtsServer?: true;
    }
  /** The server does not know our key: no other row will go either. */
  | { readonly kind: 'unauthorized'; readonly detail: string };

const LATER: ReadonlySet<number> = new Set([408, 425, 429]);
/** The body or the path is too long. These refusals concern one row, also if a proxy gives them with a page. */
const TOO_LONG: ReadonlySet<number> = new Set([413, 414]);
/** A server's own words; longer ones are shortened. */
const MAX_REASON_LENGTH = 400;
/** A longer answer is not searched for words. */
const MAX_WORDS_LENGTH = 65_536;
/** Sentences of one answer. */
const MAX_SENTENCES = 20;
/** The longest wait that a server may ask for. */
const MAX_PAUSE_MS = 60_000;
/** The shortest wait, also for a server that asks for none. */
const MIN_PAUSE_MS = 1_000;

/** `text` is the answer's body, `retryAfter` its header of that name, if it has one. */
export function centralVerdict(status: number, text: string, retryAfter: string | null): CentralVerdict {
  if (status >= 200 && status < 300) return isPage(text) ? foreignAnswer(status, text) : { kind: 'taken' };
  const words = `HTTP ${status}${centralWords(text)}`;
  if (status === 401) return { kind: 'unauthorized', detail: words };
  if (status < 400 || status >= 500 || LATER.has(status)) {
    return { kind: 'later', detail: words, forMs: pauseOf(status, retryAfter) };
  }
  if (isPage(text) && !TOO_LONG.has(status)) return foreignAnswer(status, text);
  return { kind: 'refused', reason: words, ...(status === 403 && { doubtsKey: true }) };
}

/**
 * Whether another program answered in the server's place: a login, a proxy, the web site at a wrong address. No answer
 * of the interface begins like markup.
 */
export function isPage(text: string): boolean {
  return /^\s*</.test(text);
}

/**
 * Whether an answer that a record is missing is the central server's own. The interface's errors are JSON, and a server
 * may leave the body out. Proxies and web servers answer a path that they do not know with a page or with plain text.
 */
export function isOwnAbsence(text: string): boolean {
  const body = text.trim();
  if (body === '') return true;
  const value = jsonOrNull(body);
  return typeof value === 'string' || (typeof value === 'object' && value !== null);
}

/** The verdict on an answer of another program in the server's place. */
export function foreignAnswer(status: number, text: string): Extract<CentralVerdict, { kind: 'later' }> {
  const form = isPage(text) ? 'a page for people' : 'plain text';
  return {
    kind: 'later',
    detail: `HTTP ${status} with ${form}: not the answer of a central server`,
    forMs: null,
    doubtsServer: true,
  };
}

/** The server's own words on one line behind a colon, from each shape of the interface's errors (ERR-01). */
export function centralWords(text: string): string {
  const sentences = sentencesIn(text).map((sentence) => sentence.replace(/\p{Cc}+/gu, ' ').trim());
  const words = sentences.filter((sentence) => sentence !== '').join('; ');
  if (words === '') return '';
  return `: ${words.length > MAX_REASON_LENGTH ? `${words.slice(0, MAX_REASON_LENGTH)}…` : words}`;
}

function sentencesIn(text: string): readonly string[] {
  if (text.length > MAX_WORDS_LENGTH) return [];
  const body = jsonOrNull(text);
  if (Array.isArray(body)) return textsIn(body);
  if (typeof body !== 'object' || body === null) return typeof body === 'string' ? [body] : [];
  if ('errors' in body && Array.isArray(body.errors)) return textsIn(body.errors);
  return 'message' in body && typeof body.message === 'string' ? [body.message] : [];
}

function textsIn(list: readonly unknown[]): readonly string[] {
  return list.slice(0, MAX_SENTENCES).filter((one) => typeof one === 'string');
}

/** Seconds as `Retry-After` has them; a server that throttles and does not say gets a second. */
function pauseOf(status: number, retryAfter: string | null): number | null {
  if (retryAfter !== null && /^\s*\d+\s*$/.test(retryAfter)) {
    return Math.min(Math.max(Number(retryAfter) * 1_000, MIN_PAUSE_MS), MAX_PAUSE_MS);
  }
  return status === 429 ? MIN_PAUSE_MS : null;
}
