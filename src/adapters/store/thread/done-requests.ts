import { hash } from 'node:crypto';
import { canonicalJson, jsonDepthExceeds } from '../../../domain/json/json.ts';
import type { RequestReceipt } from '../../../domain/request-receipt.ts';
import type { NamedRequest, RequestMemory } from '../../../flows/request-ports.ts';
import { inSlices } from '../../../runtime/slice.ts';
import type { Connection } from './database/connection.ts';
import { insertInto } from './database/insert-into.ts';
import { doneRequest } from './database/schema/store.ts';
import type { OrderQueries } from './orders/order-queries.ts';
import type { ProfileQueries } from './profiles/profile-queries.ts';

/** This many requests of a principal are remembered; after that the oldest is forgotten. */
const REMEMBERED_REQUESTS = 100_000;
const REMEMBERED_ANSWER_BYTES = 64 * 1024 * 1024;

/** The newest request of a principal, or its oldest. */
interface Place {
  readonly number: number;
  readonly totalBytes: number;
}

export interface DoneRequestsParts {
  readonly connection: Connection;
  readonly orders: Pick<OrderQueries, 'summaryOf'>;
  readonly profiles: Pick<ProfileQueries, 'text'>;
  readonly rememberedRequests?: number;
  readonly rememberedAnswerBytes?: number;
}

/** Requests that were done under a key, by principal and key, and their answers. */
export class DoneRequests {
  readonly #parts: DoneRequestsParts;
  readonly #find;
  readonly #newest;
  readonly #oldest;
  readonly #add;
  readonly #forget;

  constructor(parts: DoneRequestsParts) {
    const { connection } = parts;
    this.#parts = parts;
    this.#find = connection.prepare<[string, string], { readonly digest: string; readonly answer: Buffer | null }>(
      'SELECT digest, answer FROM done_request WHERE principal = ? AND key = ?',
    );
    const place = 'SELECT number, total_bytes AS totalBytes FROM done_request WHERE principal = ? ORDER BY number';
    this.#newest = connection.prepare<[string], Place>(`${place} DESC LIMIT 1`);
    this.#oldest = connection.prepare<[string], Place>(`${place} LIMIT 1`);
    this.#add = insertInto(connection, doneRequest, { or: 'IGNORE' });
    this.#forget = connection.prepare('DELETE FROM done_request WHERE principal = ? AND number = ?');
  }

  /** Requests with equal JSON are equal, in any order of keys and with any white space. */
  async recall({ principal, key, target, body }: NamedRequest): Promise<RequestMemory> {
    const value = parsedBody(body);
    const digest = digestOf(target, value === undefined ? body : await inSlices(canonicalJson(value)));
    const done = this.#find.get(principal, key);
    if (done === undefined) return { kind: 'new', digest };
    if (done.digest !== digest) return { kind: 'another' };
    return { kind: 'done', answer: done.answer === null ? null : new Uint8Array(done.answer) };
  }

  /** To be called within a transaction. */
  note(receipt: RequestReceipt): void {
    const { principal, key, digest } = receipt;
    const answer = this.#answerOf(receipt);
    const before = this.#newest.get(principal) ?? { number: 0, totalBytes: 0 };
    const newest = { number: before.number + 1, totalBytes: before.totalBytes + (answer?.length ?? 0) };
    this.#add({ principal, key, digest, answer, ...newest });
    let oldest = this.#oldest.get(principal);
    while (this.#isTooFar(newest, oldest)) {
      this.#forget.run(principal, oldest.number);
      oldest = this.#oldest.get(principal);
    }
  }

  #answerOf({ answer }: RequestReceipt): Uint8Array | null {
    const { orders, profiles } = this.#parts;
    if (answer === null) return null;
    return answer.of === 'order'
      ? orders.summaryOf(answer.orderKey).bytes
      : (profiles.text(answer.profileId)?.bytes ?? null);
  }

  #isTooFar(newest: Place, oldest: Place | undefined): oldest is Place {
    if (oldest === undefined || oldest.number === newest.number) return false;
    const { rememberedRequests = REMEMBERED_REQUESTS, rememberedAnswerBytes = REMEMBERED_ANSWER_BYTES } = this.#parts;
    const requests = newest.number - oldest.number;
    return requests >= rememberedRequests || newest.totalBytes - oldest.totalBytes > rememberedAnswerBytes;
  }
}

/** Undefined if the body is no JSON, or nests too deep to be read. */
function parsedBody(body: string | null): unknown {
  if (body === null) return null;
  if (jsonDepthExceeds(body)) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function digestOf(target: string, body: string | null): string {
  return hash('sha256', `${target}\n${body}`, 'base64');
}
