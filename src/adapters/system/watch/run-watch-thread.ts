import { execFile } from 'node:child_process';
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { Beat, isStoreAlive } from './beat.ts';
import { PULSE, type WatchThreadData } from './watch.ts';

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
 * Tells systemd that the gateway serves, watches the main thread and the store thread from outside, and feeds systemd's
 * watchdog. For a worker with WatchThreadData.
 */
function runWatchThread(): void {
  const { beats, label, timing } = workerData as WatchThreadData;
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
  let fedAtMs = performance.now();
  let toldLateMs = 0;
  let lookedAtMs = fedAtMs;
  notify(READY);

  const tellLateness = (nowMs: number, lateMs: number): void => {
    if (lateMs >= timing.mainLateMs && toldLateMs === 0) {
      tell('warn', 'the main thread is late', { lateMs: Math.round(lateMs), ...doing(main, nowMs, label) });
    }
    if (lateMs < timing.mainLateMs && toldLateMs > 0) {
      tell('warn', 'the main thread is back', { lateMs: Math.round(toldLateMs) });
    }
    toldLateMs = lateMs >= timing.mainLateMs ? lateMs : 0;
  };

  setInterval(() => {
    const nowMs = performance.now();
    if (nowMs - lookedAtMs > STOOD_STILL_MS) for (const beat of [main, store]) beat.forgive(nowMs);
    lookedAtMs = nowMs;
    const mainLateMs = main.lateMs(nowMs);
    const storeLives = isStoreAlive(store, slot(PULSE.storeOpens) === 1, nowMs, timing);
    tellLateness(nowMs, mainLateMs);
    const isDue = feedEachMs > 0 && nowMs - fedAtMs >= feedEachMs;
    if (!isDue || mainLateMs >= timing.mainDeadMs || !storeLives) return;
    fedAtMs = nowMs;
    // READY=1 is sent again: a busy systemd may have missed the sender of the first one, and ignored it.
    notify('WATCHDOG=1', READY, '--no-block');
  }, LOOK_MS);
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

runWatchThread();
