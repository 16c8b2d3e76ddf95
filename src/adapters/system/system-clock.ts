import { uptime } from 'node:os';
import type { Now } from '../../domain/time.ts';
import type { Clock } from '../../flows/ports.ts';

/** The computer's own clocks, in milliseconds. */
export interface Timepieces {
  /** Never jumps, and stands still while the machine sleeps. */
  readonly monotonicMs: () => number;
  /** Since 1970; may be set at any moment. */
  readonly wallMs: () => number;
  /** Sleep included. */
  readonly sinceBootMs: () => number;
}

export const MACHINE_TIMEPIECES: Timepieces = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  sinceBootMs: () => uptime() * 1_000,
};

/** Smaller differences are the slow corrections of a healthy clock. */
export const CLOCK_JUMP_MS = 1_000;

export interface ClockJump {
  readonly deltaMs: number;
  /** The time of the computer's start, by the clock before the jump. */
  readonly bootedAt: number;
}

type JumpListener = (jump: ClockJump) => void;

export interface WatchedClock extends Clock {
  /** Calls the listener whenever the wall clock was set; the returned function ends that. */
  onJump(listener: JumpListener): () => void;
}

/**
 * The clock of the gateway: durations never jump, and the wall clock jumps only when `onJump` is called. Until then it
 * goes on as before, so that each moment is corrected with the others or needs no correction (D-04). A sleep of the
 * computer is no jump, because the time since boot went on with the wall clock. All moments of one millisecond are one
 * object.
 */
export class SystemClock implements WatchedClock {
  readonly #pieces: Timepieces;
  #latest: Now = { monotonicMs: 0, wallMs: 0 };
  /** The offset from monotonic to wall-clock time. */
  #offsetMs: number;
  #sleptMs: number;
  readonly #listeners = new Set<JumpListener>();
  #isCorrectionDue = false;

  constructor(pieces: Timepieces = MACHINE_TIMEPIECES) {
    this.#pieces = pieces;
    const monotonicMs = pieces.monotonicMs();
    this.#offsetMs = pieces.wallMs() - monotonicMs;
    this.#sleptMs = pieces.sinceBootMs() - monotonicMs;
  }

  now(): Now {
    const monotonicMs = Math.floor(this.#pieces.monotonicMs());
    const wallMs = this.#steady(this.#pieces.wallMs(), monotonicMs);
    const latest = this.#latest;
    if (monotonicMs !== latest.monotonicMs || wallMs !== latest.wallMs) this.#latest = { monotonicMs, wallMs };
    return this.#latest;
  }

  onJump(listener: JumpListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #steady(wallMs: number, monotonicMs: number): number {
    const offsetMs = wallMs - monotonicMs;
    if (Math.abs(offsetMs - this.#offsetMs) >= CLOCK_JUMP_MS) this.#noteSleep(monotonicMs);
    if (Math.abs(offsetMs - this.#offsetMs) < CLOCK_JUMP_MS || this.#listeners.size === 0) {
      this.#offsetMs = offsetMs;
      return wallMs;
    }
    if (!this.#isCorrectionDue) setImmediate(() => this.#correct());
    this.#isCorrectionDue = true;
    return Math.round(monotonicMs + this.#offsetMs);
  }

  #noteSleep(monotonicMs: number): void {
    const sleptMs = this.#pieces.sinceBootMs() - monotonicMs;
    this.#offsetMs += sleptMs - this.#sleptMs;
    this.#sleptMs = sleptMs;
  }

  /** Corrects in a turn of its own, because the caller is in the middle of its work. */
  #correct(): void {
    this.#isCorrectionDue = false;
    const monotonicMs = Math.floor(this.#pieces.monotonicMs());
    const wallMs = this.#pieces.wallMs();
    const deltaMs = wallMs - monotonicMs - this.#offsetMs;
    // The clock may have been set back meanwhile.
    if (Math.abs(deltaMs) < CLOCK_JUMP_MS) return;
    this.#offsetMs = wallMs - monotonicMs;
    const jump = { deltaMs, bootedAt: wallMs - deltaMs - this.#pieces.sinceBootMs() };
    for (const listener of this.#listeners) listener(jump);
  }
}
