import { subscribe } from 'node:diagnostics_channel';
import type { Log } from '../../../flows/ports.ts';
import { startThread } from '../../../runtime/start-thread.ts';
import { newPulse, PULSE, type SharedPulse, STAGE, storePulseOf } from './pulse.ts';

const BEAT_MS = 250;
/** The thread does next to nothing. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 16 } as const;

export const WATCH_TIMING = {
  /** The log names a main thread that is later than this. */
  mainLateMs: 2_000,
  /** A main thread that is later than this is dead for systemd's watchdog. */
  mainDeadMs: 5_000,
  /** A store thread that died is restarted within 5 s: a thread that is gone for this time does not come back. */
  storeDeadMs: 60_000,
  /** A store thread does not beat while it opens its database. To check and save a large damaged one takes minutes. */
  storeOpeningMs: 3_600_000,
  /** contract.md: the program ends within 5 s. */
  maxStopMs: 5_000,
} as const;

export type WatchTiming = Readonly<Record<keyof typeof WATCH_TIMING, number>>;

export interface WatchThreadData extends SharedPulse {
  readonly timing: WatchTiming;
  readonly givesRealTime: boolean;
}

/** The message of the watching thread: whether the main thread runs in real time now (`giveMainThreadRealTime`). */
export interface RealTimeOutcome {
  readonly obstacle: string | null;
}

export interface WatchOptions {
  readonly log: Log;
  /**
   * If given, the watching thread gets real time for the main thread, and this function gets the outcome. The main
   * thread must not wait for the start of `chrt`, which takes 20 ms.
   */
  readonly onRealTime?: (outcome: RealTimeOutcome) => void;
  readonly timing?: WatchTiming;
}

export interface Watch {
  /** The store thread shows here that it is alive. */
  readonly storePulse: Int32Array<SharedArrayBuffer>;
  serving(): void;
  stopping(): void;
}

/**
 * Lets a thread that watches the others see the beat of this one. It starts once the gateway is ready or stops: while the
 * gateway opens its store, systemd waits without end, and the threads that serve need the processors.
 */
export function openWatch(threadEntry: URL | string, options: WatchOptions): Watch {
  const pulse = newPulse();
  let isWatched = false;
  const enter = (stage: number) => {
    Atomics.store(pulse.beats, PULSE.stage, stage);
    if (!isWatched) startWorker(threadEntry, pulse, options);
    isWatched = true;
  };
  setInterval(() => Atomics.add(pulse.beats, PULSE.main, 1), BEAT_MS).unref();
  labelRequests(pulse.label);
  return {
    storePulse: storePulseOf(pulse),
    serving: () => enter(STAGE.serving),
    stopping: () => enter(STAGE.stopping),
  };
}

function startWorker(
  threadEntry: URL | string,
  pulse: SharedPulse,
  { log, onRealTime, timing = WATCH_TIMING }: WatchOptions,
): void {
  const workerData: WatchThreadData = { timing, givesRealTime: onRealTime !== undefined, ...pulse };
  const worker = startThread(threadEntry, { workerData, resourceLimits: RESOURCE_LIMITS });
  worker.once('message', (outcome: RealTimeOutcome) => onRealTime?.(outcome));
  // Without this thread systemd's watchdog is not fed, so systemd restarts the service.
  worker.on('error', (error) => log.error({ error }, 'the watching thread died'));
  worker.unref();
}

const encoder = new TextEncoder();

/** A request is the likeliest cause of much work at once. Its query is left out, because it may hold secrets. */
function labelRequests(label: Uint8Array<SharedArrayBuffer>): void {
  subscribe('http.server.request.start', (message) => {
    const { method, url } = (message as { readonly request: { readonly method: string; readonly url: string } })
      .request;
    const query = url.indexOf('?');
    label.fill(0);
    encoder.encodeInto(`${method} ${query < 0 ? url : url.slice(0, query)}`, label);
  });
}
