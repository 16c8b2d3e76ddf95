import type { RequestReceipt } from '../domain/request-receipt.ts';

/** A request that its sender named, so that a repetition of it is known as one. */
export interface NamedRequest {
  readonly principal: string;
  readonly key: string;
  /** Method and path: `POST /api/v1/profiles`. */
  readonly target: string;
  /** JSON as it was sent; null: none was. */
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
  /** Does it, and commits the receipt in the same transaction. */
  readonly act: (receipt: RequestReceipt) => Promise<T>;
  /** Answers it once more, as it was answered when it was done. */
  readonly repeat: (answer: DoneAnswer) => T;
}

/** Lets a named request be done once, however often it comes. */
export interface NamedRequests {
  /**
   * Rejects as the act does, with `key-reused` where something else was done under that key, with `rate-limited` where too many of the same name wait, and with `agent-unavailable`
   * while it is unconfirmed whether it was done.
   */
  once<T>(request: NamedRequest, acts: RequestOperations<T>): Promise<T>;
}
