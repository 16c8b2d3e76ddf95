/**
 * Decides which data directory may send under a gateway's name (contract.md, Upstream; D-27). A name belongs to the
 * principal whose API key used it first. A stream is one directory's unbroken numbering. One stream at a time holds the
 * name: two streams that send by turns would overwrite each other's totals.
 *
 *     the name belongs to another principal ─────────▶ the claimer is refused
 *     no stream holds it, or the holder is silent ───▶ the claimer takes it: its directory is restored or new
 *     both were heard for a while ───────────────────▶ two run beside each other: the claimer is refused
 *     neither is certain yet ────────────────────────▶ the claimer waits
 *
 * The central server cannot know which of two streams is the right one. A refused stream stays refused until a person
 * grants it the name; its records wait in its own queue meanwhile.
 */
export interface NameClaim {
  readonly isRefused: boolean;
  /** Whether the claimer's API key belongs to the principal that owns the name. */
  readonly isOwnersKey: boolean;
  readonly holder: Presence;
  /** The time at which the claimer began to ask without a longer pause; null if it asks for the first time. */
  readonly waitingSinceMs: number | null;
}

/**
 * The time at which a stream was heard last, and the time until which its silence proves nothing, both on the monotonic
 * clock.
 */
export interface Presence {
  readonly heardMs: number;
  readonly aliveUntilMs: number;
}

export type ClaimVerdict = 'take' | 'wait' | 'refuse';

export const NAME_TIMES = {
  /** A gateway that has nothing to send gives a sign of life in this interval. */
  aliveEveryMs: 5_000,
  /** A stream that was answered and is silent for this long is gone. One that still speaks this long after another claimed its name is alive. */
  silenceMs: 15_000,
  /**
   * A gateway that was not served, or could not reach us, is back within this time: the longest back-off, a timeout,
   * and a margin.
   */
  backWithinMs: 30_000,
} as const;

/** The verdict on a claim to a name that another stream holds. */
export function judgeClaim(claim: NameClaim, nowMs: number): ClaimVerdict {
  const { isRefused, isOwnersKey, holder, waitingSinceMs } = claim;
  if (isRefused || !isOwnersKey) return 'refuse';
  if (nowMs >= holder.aliveUntilMs) return 'take';
  const doBothLive = waitingSinceMs !== null && holder.heardMs - waitingSinceMs >= NAME_TIMES.silenceMs;
  return doBothLive ? 'refuse' : 'wait';
}

/** A gateway and the stream that its data directory numbers. */
export interface GatewayStream {
  readonly gatewayId: string;
  readonly stream: string;
}

/** A stream, and the principal whose API key brings it. */
export interface Claimer extends GatewayStream {
  readonly principal: string;
}

/** A stream as a request brings it, with the plant of its API key (D-108). */
export interface Sender extends Claimer {
  readonly plantId: string;
}

/** A decision about a name. Writing it twice changes nothing. `at` is in wall-clock milliseconds. */
export type NameRecord =
  /** The stream holds the name from now on, the name belongs to the principal, and the gateway to the plant. */
  | ({ readonly kind: 'nameTaken' } & Sender)
  | ({ readonly kind: 'nameRefused'; readonly at: number } & Claimer)
  /** A person gives the name to the stream and its principal. The stream that held it is refused from now on. */
  | ({ readonly kind: 'nameGranted'; readonly at: number } & Claimer);
