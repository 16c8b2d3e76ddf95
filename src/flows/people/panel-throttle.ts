/**
 * The wrong tries that a person has at a panel at once, and the time for one more. Guessing four digits then takes a
 * week.
 */
const TRIES = 5;
const NEXT_TRY_MS = 60_000;
/** Badges are longer than PINs; scans of other labels by mistake are no guesses. */
const BADGE_TRIES = 20;
const NEXT_BADGE_MS = 6_000;
/** Beyond this number the oldest is forgotten. */
const MAX_REMEMBERED = 10_000;

interface Tries {
  left: number;
  atMs: number;
}

/** Counts wrong badges and PINs by panel and person. */
export class PanelThrottle {
  readonly #tries = new Map<string, Tries>();

  /**
   * Takes a try; false if no try is left for now. `whose` is null for badges, because their owner is not known
   * beforehand.
   */
  take(panelId: string, whose: string | null, nowMs: number): boolean {
    const [most, nextMs] = whose === null ? [BADGE_TRIES, NEXT_BADGE_MS] : [TRIES, NEXT_TRY_MS];
    const key = keyOf(panelId, whose);
    const tries = this.#tries.get(key) ?? { left: most, atMs: nowMs };
    const left = Math.min(most, tries.left + (nowMs - tries.atMs) / nextMs);
    if (left < 1) return false;
    this.#tries.delete(key);
    this.#tries.set(key, { left: left - 1, atMs: nowMs });
    const [oldest] = this.#tries.keys();
    if (this.#tries.size > MAX_REMEMBERED && oldest !== undefined) this.#tries.delete(oldest);
    return true;
  }

  /** Gives all tries back after a right one. */
  giveBack(panelId: string, whose: string | null): void {
    this.#tries.delete(keyOf(panelId, whose));
  }
}

function keyOf(panelId: string, whose: string | null): string {
  return JSON.stringify([panelId, whose]);
}
