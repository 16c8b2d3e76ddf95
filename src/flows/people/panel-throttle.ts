import { TokenBuckets } from '../../domain/token-buckets.ts';

/**
 * The wrong tries that a person has at a panel at once, and the time for one more. Guessing four digits then takes a
 * week.
 */
const TRIES = 5;
const NEXT_TRY_MS = 60_000;
/** Badges are longer than PINs; scans of other labels by mistake are no guesses. */
const BADGE_TRIES = 20;
const NEXT_BADGE_MS = 6_000;
/** People at panels, and panels, whose tries are remembered. Beyond it the oldest is forgotten. */
const MAX_REMEMBERED = 10_000;

/** Counts wrong badges and PINs by panel and person. */
export class PanelThrottle {
  readonly #pins = new TokenBuckets({ capacity: TRIES, refillMs: NEXT_TRY_MS, mostNames: MAX_REMEMBERED });
  readonly #badges = new TokenBuckets({
    capacity: BADGE_TRIES,
    refillMs: NEXT_BADGE_MS,
    mostNames: MAX_REMEMBERED,
  });

  /**
   * Takes a try; false if no try is left for now. `whose` is null for badges, because their owner is not known
   * beforehand.
   */
  take(panelId: string, whose: string | null, nowMs: number): boolean {
    const [tries, name] = this.#triesOf(panelId, whose);
    if (!tries.has(name, nowMs)) return false;
    tries.take(name, nowMs);
    return true;
  }

  /** Gives all tries back after a right one. */
  giveBack(panelId: string, whose: string | null): void {
    const [tries, name] = this.#triesOf(panelId, whose);
    tries.forget(name);
  }

  #triesOf(panelId: string, whose: string | null): readonly [TokenBuckets, string] {
    return whose === null ? [this.#badges, panelId] : [this.#pins, JSON.stringify([panelId, whose])];
  }
}
