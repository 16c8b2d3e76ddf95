/** The central server as the flows speak to it: requests by its own interface, and the outcome of each. */

export interface CentralRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the server's base address, with its query: `/api/v1/coils?take=1000`. */
  readonly path: string;
  /** JSON; null: none. */
  readonly body?: string | Uint8Array | null;
  /** The body is gzip. */
  readonly isGzip?: boolean;
  /**
   * Sent as `Idempotency-Key` with a write; a server that does not know the header ignores it (contract.md, Upstream).
   */
  readonly operationId?: string | null;
  /** Bytes read of an answer at most; a longer one is cut off. */
  readonly maxAnswerBytes?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export type CentralAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
      readonly bytes: Buffer<ArrayBuffer>;
      /**
       * Whether the whole answer came; else the connection broke, or the answer was longer than the limit. The status
       * is valid even then.
       */
      readonly extent: 'whole' | 'cutOff' | 'tooLong';
    }
  /** Not one byte of the request was sent, so it certainly had no effect. */
  | { readonly kind: 'unsent'; readonly detail: string }
  /** At least a part was sent, and no answer came: the request may have been carried out, or may still be. */
  | { readonly kind: 'unanswered'; readonly detail: string };

/**
 * Neither call rejects, and each request ends within its own time limit. No request is sent twice unless the caller
 * asks twice.
 */
export interface CentralServer {
  ask(request: CentralRequest): Promise<CentralAnswer>;
  /** Ends all requests under way; those that were sent count as unanswered. */
  close(): Promise<void>;
}

/** The memory of rows that go one by one to a server with the interface alone. */
export type UpstreamRecord =
  /** On disk before the row is sent: from then on a lost answer has to be settled by reading (D-30). */
  | { readonly kind: 'sendBegun'; readonly seq: number }
  /** The central server's id for a profile of ours. */
  | {
      readonly kind: 'profileNamed';
      readonly profileId: string;
      readonly upstreamId: string;
      /** The time of its creation there, by the clock there; null if unknown. */
      readonly createdAt: number | null;
    };

/** A central server's id for a profile of ours. */
export interface UpstreamName {
  readonly upstreamId: string;
  readonly createdAt: number | null;
  /** The id is from another address: here it may belong to another profile. */
  readonly isElsewhere: boolean;
}

export interface SendMemory {
  /** The row was sent before, or may have been. */
  readonly isBegun: boolean;
  /** Null if no central server is known to have its own name for it. */
  readonly name: UpstreamName | null;
}

export interface UpstreamQueries {
  /** `profileId` is null if the row is not about a profile. */
  sendMemory(seq: number, profileId: string | null): Promise<SendMemory>;
}
