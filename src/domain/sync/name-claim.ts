/**
 * To which of several data directories a gateway's name belongs (contract.md, Upstream; D-27). A stream is one directory's
 * unbroken numbering. One stream at a time holds the name, and only what it sends is taken: two that send by turns would
 * overwrite each other's totals.
 *
 *     nobody holds it, or the holder is silent ──────▶ the claimer takes it: its directory was restored or made anew
 *     both were heard for a while ───────────────────▶ two run beside each other: the claimer is refused
 *     neither can be said yet ───────────────────────▶ the claimer waits
 *
 * Which of two is the right one nobody can tell from here. Who is refused stays so until a person grants it the name; what
 * it has waits in its own queue meanwhile.
 */
export interface NameClaim {
  readonly isRefused: boolean;
  readonly holder: Presence;
  /** Since when the claimer has been asking without a longer pause; null: it asks for the first time. */
  readonly waitingSinceMs: number | null;
}

/** When a stream was heard last, and until when its silence says nothing: both on the monotonic clock. */
export interface Presence {
  readonly heardMs: number;
  readonly aliveUntilMs: number;
}

export type ClaimVerdict = 'take' | 'wait' | 'refuse';

export const NAME_TIMES = {
  /** A gateway that has nothing to send says so often that it lives. */
  aliveEveryMs: 5_000,
  /** Who was answered and says nothing for so long is gone; who speaks so long after another claimed its name is not. */
  silenceMs: 15_000,
  /** Who could not be served, or not reach us, comes back within this: the longest back-off, a timeout, and some more. */
  backWithinMs: 75_000,
} as const;

/** What becomes of a claim on a name that another stream holds. */
export function judgeClaim({ isRefused, holder, waitingSinceMs }: NameClaim, nowMs: number): ClaimVerdict {
  if (isRefused) return 'refuse';
  if (nowMs >= holder.aliveUntilMs) return 'take';
  const doBothLive = waitingSinceMs !== null && holder.heardMs - waitingSinceMs >= NAME_TIMES.silenceMs;
  return doBothLive ? 'refuse' : 'wait';
}

/** A gateway and the stream that its data directory numbers. */
export interface GatewayStream {
  readonly gatewayId: string;
  readonly stream: string;
}

/** What was seen, or a person decided, about a name. Written twice it changes nothing. `at` is in wall-clock milliseconds. */
export type NameRecord =
  /** The stream holds the name from now on. */
  | ({ readonly kind: 'nameTaken' } & GatewayStream)
  /** `principal`: whose key it came with. */
  | ({ readonly kind: 'nameRefused'; readonly principal: string; readonly at: number } & GatewayStream)
  /** A person says that the stream is the gateway's: the one that holds the name is refused from now on. */
  | ({ readonly kind: 'nameGranted'; readonly at: number } & GatewayStream);
