/**
 * The proof that a request was carried out, under the key of its repetitions (contract.md, Upstream). It is written in
 * the same commit as the effects of the request.
 */
export interface RequestReceipt {
  readonly kind: 'requestDone';
  readonly principal: string;
  readonly key: string;
  /** The digest of the whole request: a different request under the same key is not a repetition. */
  readonly digest: string;
  readonly answer: AnsweredWith;
}

/**
 * The record whose stored text is the body of the answer. It is read when the receipt is written, at the receipt's
 * place in the commit. Null for an answer without a body.
 */
type AnsweredWith =
  | { readonly of: 'order'; readonly orderKey: string }
  | { readonly of: 'profile'; readonly profileId: string }
  | null;

/** The records that note a request as done; none for one without a key. */
export function receiptsOf(receipt: RequestReceipt | null, answer: AnsweredWith = null): readonly RequestReceipt[] {
  return receipt === null ? [] : [{ ...receipt, answer }];
}
