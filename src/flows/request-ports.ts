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
