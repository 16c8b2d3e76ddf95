import type { CentralServer } from '../forward/upstream-ports.ts';

/** The result of a read of the central server. */
export type Fetched =
  | {
      readonly kind: 'bytes';
      readonly bytes: Uint8Array;
      /** To be called once the answer is taken here: only then may the server say that it is unchanged. */
      readonly noteTaken: () => void;
    }
  /** It is unchanged since the last answer that was taken. */
  | { readonly kind: 'unchanged' }
  /** There is no such record or list. */
  | { readonly kind: 'absent' };

/** The central server could not be read, or not be understood. */
export class MirrorFault extends Error {
  /** It did not answer at all. */
  readonly isAway: boolean;

  constructor(message: string, isAway = false) {
    super(message);
    this.name = 'MirrorFault';
    this.isAway = isAway;
  }
}

/** Summaries of orders may be as long as ours may be. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** Answers whose ETag is remembered. Others are read as a whole each time. */
const MAX_TAGS = 2_000;
/** Characters of an ETag that is remembered. */
const MAX_TAG_LENGTH = 256;

/** Reads of the central server, which are not repeated if an ETag shows that nothing changed. */
export class MirrorFetch {
  readonly #central: Pick<CentralServer, 'ask'>;
  readonly #onUnclear: () => void;
  readonly #tags = new Map<string, string>();

  /** `onUnclear` is called if the server gave no answer, or refused our key. */
  constructor(central: Pick<CentralServer, 'ask'>, onUnclear: () => void) {
    this.#central = central;
    this.#onUnclear = onUnclear;
  }

  /** Rejects with MirrorFault if there is no whole answer. `isKnown` tells that the earlier reading is still known. */
  async get(path: string, isKnown = true): Promise<Fetched> {
    const tag = isKnown ? this.#tags.get(path) : undefined;
    const headers = tag === undefined ? {} : { 'if-none-match': tag };
    const answer = await this.#central.ask({ method: 'GET', path, headers, maxAnswerBytes: MAX_ANSWER_BYTES });
    if (answer.kind !== 'answered' || answer.status === 401) this.#onUnclear();
    if (answer.kind !== 'answered') throw new MirrorFault(`GET ${path}: ${answer.detail}`, true);
    const { status, bytes, extent } = answer;
    if (status === 304 && tag !== undefined) return { kind: 'unchanged' };
    if (status === 404 || status === 405 || status === 501) return { kind: 'absent' };
    if (status !== 200) throw new MirrorFault(`GET ${path}: HTTP status ${status}`);
    if (extent !== 'whole') throw new MirrorFault(`GET ${path}: an answer that was cut off`);
    this.#tags.delete(path);
    return { kind: 'bytes', bytes, noteTaken: () => this.#keepTag(path, answer.headers.etag) };
  }

  #keepTag(path: string, tag: string | readonly string[] | undefined): void {
    if (typeof tag !== 'string' || tag.length > MAX_TAG_LENGTH || this.#tags.size >= MAX_TAGS) return;
    this.#tags.set(path, tag);
  }
}
