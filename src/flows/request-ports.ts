import type { RequestReceipt } from '../domain/request-receipt.ts';

/** A request with an idempotency key, so that its repetition is recognised. */
export interface NamedRequest {
  readonly principal: string;
  readonly key: string;
  /** Method and path: `POST /api/v1/profiles`. */
  readonly target: string;
  /** The unchanged JSON; null without a body. */
  readonly body: string | null;
}

/** The body of the answer as it was sent; null without one. */
type DoneAnswer = Uint8Array<ArrayBuffer> | null;

/** Whether a named request is new, was done before, or has the key of another one. */
export type RequestMemory =
  | { readonly kind: 'new'; readonly digest: string }
  | { readonly kind: 'done'; readonly answer: DoneAnswer }
  /** The key was used for another request. */
  | { readonly kind: 'another' };

export interface RequestQueries {
  requestMemory(request: NamedRequest): Promise<RequestMemory>;
}

/** The progress of a named request. */
export interface RequestOperations<T> {
  /** Carries the request out, and commits the receipt in the same transaction. */
  readonly act: (receipt: RequestReceipt) => Promise<T>;
  /** Answers it again with the first answer. */
  readonly repeat: (answer: DoneAnswer) => T | Promise<T>;
}

/** Carries out a named request once, even if it comes several times. */
export interface NamedRequests {
  /**
   * Rejects with the error of the act, with `key-reused` if another request was done under that key, with
   * `rate-limited` if too many with the same key wait, and with `outcome-unknown` while its outcome is unconfirmed.
   */
  once<T>(request: NamedRequest, acts: RequestOperations<T>): Promise<T>;
}
