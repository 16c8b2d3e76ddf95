/** The central server as the flows speak to it: requests by its own interface, and the outcome of each. */

export interface CentralRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the server's base address, with its query: `/api/v1/coils?take=1000`. */
  readonly path: string;
  /** JSON; null: none. */
  readonly body?: string | Uint8Array | null;
  /** The body is gzip. */
  readonly isGzip?: boolean;
  /** Goes as `Idempotency-Key` with a write; one that does not know it ignores it (contract.md, Upstream). */
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
      /** Whether all of it came; else the line broke, or it was longer than was to be read. The status is the server's word even then. */
      readonly extent: 'whole' | 'cutOff' | 'tooLong';
    }
  /** Not one byte of the request was sent: for certain nothing came of it. */
  | { readonly kind: 'unsent'; readonly detail: string }
  /** It was sent, or begun to be, and no answer came: it may have been carried out, or may still be. */
  | { readonly kind: 'unanswered'; readonly detail: string };

/** Neither call rejects; each request ends within a time of its own. Nothing is sent twice unless the caller asks twice. */
export interface CentralServer {
  ask(request: CentralRequest): Promise<CentralAnswer>;
  /** Ends what is under way: unanswered, where it was sent. */
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
      /** When it was made there, by the clock there; null: not told. */
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
  /** Null: no central server is known to have it under a name of its own. */
  readonly name: UpstreamName | null;
}

export interface UpstreamQueries {
  /** `profileId` null: the row is about none. */
  sendMemory(seq: number, profileId: string | null): Promise<SendMemory>;
}
