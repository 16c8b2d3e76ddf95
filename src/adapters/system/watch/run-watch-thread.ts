import { execFile } from 'node:child_process';
import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { giveMainThreadRealTime } from '../main-thread-priority.ts';
import { Beat } from './beat.ts';
import { PULSE, STAGE } from './pulse.ts';
import { isStoreAlive } from './store-life.ts';
import type { RealTimeOutcome, WatchThreadData } from './watch.ts';

const LOOK_MS = 250;
/** A longer time between two checks means that the whole process stood still, not one of its threads. */
const STOOD_STILL_MS = 1_500;
const NOTIFY_TIMEOUT_MS = 4_000;
const MICROSECONDS_PER_MS = 1_000;
const STDERR = 2;
const READY = 'READY=1';
/** The number of times that the watchdog is fed within its time. */
const FEEDINGS = 3;

/**
 * Watches the main thread and the store thread from outside, and feeds systemd's watchdog. For a worker with
 * WatchThreadData.
 */
export function runWatchThread(): void {
  const { beats, label, timing, givesRealTime } = workerData as WatchThreadData;
  const slot = (place: number) => Atomics.load(beats, place);
  const main = new Beat(
    () => slot(PULSE.main),
    () => process.pid,
  );
  const store = new Beat(
    () => slot(PULSE.store),
    () => slot(PULSE.storeThreadId),
  );
  const feedEachMs = Number(process.env.WATCHDOG_USEC ?? 0) / MICROSECONDS_PER_MS / FEEDINGS;
  let stage: number = STAGE.starting;
  let stoppingSinceMs = 0;
  let fedAtMs = 0;
  let toldLateMs = 0;
  let lookedAtMs = performance.now();
  if (givesRealTime && slot(PULSE.stage) === STAGE.serving) void getRealTime();

  const tellLateness = (nowMs: number, lateMs: number): void => {
    if (lateMs >= timing.mainLateMs && toldLateMs === 0) {
      tell('warn', 'the main thread is late', { lateMs: Math.round(lateMs), ...doing(main, nowMs, label) });
    }
    if (lateMs < timing.mainLateMs && toldLateMs > 0) {
      tell('warn', 'the main thread is back', { lateMs: Math.round(toldLateMs) });
    }
    toldLateMs = lateMs >= timing.mainLateMs ? lateMs : 0;
  };

  const followStage = (nowMs: number): void => {
    if (slot(PULSE.stage) === stage) return;
    stage = slot(PULSE.stage);
    if (stage === STAGE.stopping) stoppingSinceMs = nowMs;
    // The report of being ready counts as the first feeding.
    fedAtMs = nowMs;
    notify(stage === STAGE.serving ? READY : 'STOPPING=1');
  };

  setInterval(() => {
    const nowMs = performance.now();
    if (nowMs - lookedAtMs > STOOD_STILL_MS) for (const beat of [main, store]) beat.forgive(nowMs);
    lookedAtMs = nowMs;
    const mainLateMs = main.lateMs(nowMs);
    const storeLives = isStoreAlive(store, slot(PULSE.storeOpens) === 1, nowMs, timing);
    tellLateness(nowMs, mainLateMs);
    followStage(nowMs);
    // The main thread itself is stuck while it stops. All that was acknowledged is on disk, so nothing is lost.
    if (stage === STAGE.stopping && nowMs - stoppingSinceMs >= timing.maxStopMs) process.kill(process.pid, 'SIGKILL');
    const isDue = feedEachMs > 0 && stage === STAGE.serving && nowMs - fedAtMs >= feedEachMs;
    if (!isDue || mainLateMs >= timing.mainDeadMs || !storeLives) return;
    fedAtMs = nowMs;
    // READY=1 is sent again: a busy systemd may have missed the sender of the first one, and ignored it.
    notify('WATCHDOG=1', READY, '--no-block');
  }, LOOK_MS);
}

async function getRealTime(): Promise<void> {
  parentPort?.postMessage({ obstacle: await giveMainThreadRealTime() } satisfies RealTimeOutcome);
}

function doing(main: Beat, nowMs: number, label: Uint8Array): object {
  const activity = main.activity(nowMs);
  const newestRequest = Buffer.from(label).toString('utf8').replace(/\0.*$/s, '');
  const processor = `${Math.round((activity?.processorShare ?? 0) * 100)} %`;
  return { state: activity?.state ?? '?', processor, newestRequest: newestRequest === '' ? null : newestRequest };
}

/**
 * Notifies through systemd's own program, because Node has no local datagram sockets. This takes 4 ms of a processor
 * every 5 s.
 */
function notify(...words: readonly string[]): void {
  if (process.env.NOTIFY_SOCKET === undefined) return;
  execFile('systemd-notify', words, { timeout: NOTIFY_TIMEOUT_MS }, (error) => {
    if (error !== null) tell('error', 'systemd cannot be told', { report: words[0], error: error.message });
  });
}

/** Writes to the log from here, because the log of the main thread waits for the main thread. */
function tell(level: 'warn' | 'error', msg: string, fields: object): void {
  const line = JSON.stringify({ level, time: new Date().toISOString(), msg, ...fields });
  const priority = level === 'warn' ? 4 : 3;
  try {
    writeSync(STDERR, `${process.env.JOURNAL_STREAM === undefined ? '' : `<${priority}>`}${line}\n`);
  } catch {
    // The log cannot be written. The watchdog must still be fed.
  }
}
