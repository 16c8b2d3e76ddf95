import { readFile } from 'node:fs/promises';
import type { Clock, Now } from '../../flows/ports.ts';

let latest: Now = { monotonicMs: 0, wallMs: 0 };

/** The clock of the machine: durations never jump, the wall clock may. All moments of one millisecond are one object. */
export const systemClock: Clock = {
  now: (): Now => {
    const monotonicMs = Math.floor(performance.now());
    const wallMs = Date.now();
    if (monotonicMs !== latest.monotonicMs || wallMs !== latest.wallMs) latest = { monotonicMs, wallMs };
    return latest;
  },
};

const LOOK_INTERVAL_MS = 1_000;
/** Smaller differences are the slow corrections of a healthy clock. */
export const CLOCK_JUMP_MS = 1_000;

export interface ClockJump {
  readonly deltaMs: number;
  /** When the machine booted, by the clock as it was before. */
  readonly bootedAt: number;
}

/** Seconds since boot, suspended time included; null where the system does not tell. */
async function uptimeMs(): Promise<number | null> {
  try {
    return Number.parseFloat(await readFile('/proc/uptime', 'utf8')) * 1_000;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

export interface ClockWatchOptions {
  readonly clock: Clock;
  readonly onJump: (jump: ClockJump) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Watches the wall clock against the monotonic one and tells when it was set (D-04). A machine that slept is no jump: its
 * time since boot went on with the wall clock.
 */
export function watchClock({ clock, onJump, onError }: ClockWatchOptions): { stop(): void } {
  let expected = offsetOf(clock.now());
  let sleptMs: number | null = null;
  const look = async (): Promise<void> => {
    const now = clock.now();
    const deltaMs = offsetOf(now) - expected;
    if (Math.abs(deltaMs) < CLOCK_JUMP_MS) return;
    expected = offsetOf(now);
    const sinceBootMs = await uptimeMs();
    const slept = sinceBootMs === null ? 0 : sinceBootMs - now.monotonicMs;
    const sleptMeanwhile = sleptMs === null ? 0 : slept - sleptMs;
    sleptMs = slept;
    const jumpedMs = deltaMs - sleptMeanwhile;
    if (Math.abs(jumpedMs) < CLOCK_JUMP_MS) return;
    onJump({ deltaMs: jumpedMs, bootedAt: now.wallMs - jumpedMs - (sinceBootMs ?? now.monotonicMs) });
  };
  uptimeMs().then((sinceBootMs) => {
    if (sinceBootMs !== null) sleptMs = sinceBootMs - clock.now().monotonicMs;
  }, onError);
  const timer = setInterval(() => look().catch(onError), LOOK_INTERVAL_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

function offsetOf({ wallMs, monotonicMs }: Now): number {
  return wallMs - monotonicMs;
}
