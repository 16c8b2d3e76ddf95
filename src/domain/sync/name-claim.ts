/**
 * To which of several data directories a gateway's name belongs (contract.md, Upstream; D-27). A stream is one directory's
 * unbroken numbering. One stream at a time holds the name, and only what it sends is taken: two that send by turns would
 * overwrite each other's totals.
 *
 *     nobody holds it, or the holder is silent ──────▶ the claimer takes it: its directory was restored or made anew
 *     both were heard for a while ───────────────────▶ one is a copy of the other: the claimer is refused
 *     neither can be said yet ───────────────────────▶ the claimer waits
 *
 * Which of two is the copy nobody can tell from here. Who is refused stays so until a person grants it the name; what it
 * has waits in its own queue meanwhile.
 */
export interface NameClaim {
  readonly isRefused: boolean;
  readonly isHolderRefused: boolean;
  /** When the holder was heard last, on the monotonic clock. */
  readonly holderHeardMs: number;
  /** When the claimer was first told to wait; null: never. */
  readonly waitingSinceMs: number | null;
}

export type ClaimVerdict = 'take' | 'wait' | 'refuse';

export const NAME_TIMES = {
  /** A gateway that has nothing to send says so often that it lives. */
  aliveEveryMs: 5_000,
  /** A holder that says nothing for so long is gone; one that still speaks so long after another claimed its name is not. */
  silenceMs: 15_000,
} as const;

/** What becomes of a claim on a name that another stream holds. */
export function judgeClaim(claim: NameClaim, nowMs: number): ClaimVerdict {
  const { isRefused, isHolderRefused, holderHeardMs, waitingSinceMs } = claim;
  if (isRefused) return 'refuse';
  if (isHolderRefused || nowMs - holderHeardMs >= NAME_TIMES.silenceMs) return 'take';
  const doBothLive = waitingSinceMs !== null && holderHeardMs - waitingSinceMs >= NAME_TIMES.silenceMs;
  return doBothLive ? 'refuse' : 'wait';
}

/** What was seen, or a person decided, about a name. Written twice it changes nothing. */
export type NameRecord =
  | {
      readonly kind: 'nameRefused';
      readonly gatewayId: string;
      readonly stream: string;
      /** Whose key it came with. */
      readonly principal: string;
      /** In wall-clock milliseconds. */
      readonly at: number;
    }
  /** The stream is the gateway's; the one that holds the name is refused from now on. */
  | { readonly kind: 'nameGranted'; readonly gatewayId: string; readonly stream: string; readonly at: number };
