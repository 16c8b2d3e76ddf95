/**
 * That what a request asked for was done, under the key that its repetitions bear (contract.md, Upstream); written in the
 * commit of what it did.
 */
export interface RequestReceipt {
  readonly kind: 'requestDone';
  readonly principal: string;
  readonly key: string;
  /** Of all that was asked: another request under the same key is no repetition. */
  readonly digest: string;
  readonly answer: AnsweredWith;
}

/** The content of an answer beside its status, as it is at the receipt's place in the commit; null: nothing. */
type AnsweredWith =
  | { readonly of: 'order'; readonly orderKey: string }
  | { readonly of: 'profile'; readonly profileId: string }
  | null;

/** The records that note a request as done; none for one without a key. */
export function receiptsOf(receipt: RequestReceipt | null, answer: AnsweredWith = null): readonly RequestReceipt[] {
  return receipt === null ? [] : [{ ...receipt, answer }];
}
