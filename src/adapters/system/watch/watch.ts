import { subscribe } from 'node:diagnostics_channel';
import type { Log } from '../../../flows/ports.ts';
import { STORE_PULSE } from '../../../flows/store-health-ports.ts';
import { startThread } from '../../../runtime/start-thread.ts';

const BEAT_MS = 250;
const LABEL_BYTES = 160;
const FIRST_OF_STORE = 1;
/** The thread does next to nothing. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 16 } as const;

/** The signs of life that the watching thread reads in shared memory: each slot is one number. */
export const PULSE = {
  main: 0,
  store: FIRST_OF_STORE + STORE_PULSE.beat,
  storeThreadId: FIRST_OF_STORE + STORE_PULSE.threadId,
  storeOpens: FIRST_OF_STORE + STORE_PULSE.opening,
} as const;

export const WATCH_TIMING = {
  /** The log names a main thread that is later than this. */
  mainLateMs: 2_000,
  /** A main thread that is later than this is dead for systemd's watchdog. */
  mainDeadMs: 5_000,
  /** A store thread that died is restarted within 5 s: a thread that is gone for this time does not come back. */
  storeDeadMs: 60_000,
  /** A store thread does not beat while it opens its database. To check and save a large damaged one takes minutes. */
  storeOpeningMs: 3_600_000,
} as const;

export type WatchTiming = Readonly<Record<keyof typeof WATCH_TIMING, number>>;

export interface WatchThreadData {
  readonly beats: Int32Array<SharedArrayBuffer>;
  /** The newest HTTP request as text, which tells the work of the main thread. */
  readonly label: Uint8Array<SharedArrayBuffer>;
  readonly timing: WatchTiming;
}

export interface Watch {
  /** The store thread shows here that it is alive. */
  readonly storePulse: Int32Array<SharedArrayBuffer>;
  /** Tells systemd that the gateway serves, and feeds its watchdog from now on. */
  serving(): void;
}

/**
 * Lets a thread that watches the others see the beat of this one. It starts once the gateway is ready: while the gateway
 * opens its store, systemd waits without end, and the threads that serve need the processors.
 */
export function openWatch(threadEntry: URL | string, log: Log, timing: WatchTiming = WATCH_TIMING): Watch {
  const slots = Object.keys(PULSE).length;
  const beats = new Int32Array(new SharedArrayBuffer(slots * Int32Array.BYTES_PER_ELEMENT));
  const label = new Uint8Array(new SharedArrayBuffer(LABEL_BYTES));
  const workerData: WatchThreadData = { beats, label, timing };
  setInterval(() => Atomics.add(beats, PULSE.main, 1), BEAT_MS).unref();
  labelRequests(label);
  const serving = () => {
    const worker = startThread(threadEntry, { workerData, resourceLimits: RESOURCE_LIMITS });
    // Without this thread systemd's watchdog is not fed, so systemd restarts the service.
    worker.on('error', (error) => log.error({ error }, 'the watching thread died'));
    worker.unref();
  };
  return { storePulse: beats.subarray(FIRST_OF_STORE), serving };
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
