import { Worker } from 'node:worker_threads';
import { openWatch, WATCH_TIMING } from '../../../src/adapters/system/watch/watch.ts';
import { STORE_PULSE } from '../../../src/flows/store-health-ports.ts';
import { threadEntry } from '../../../src/threads.ts';

/**
 * A process whose threads are watched, which `bundle-program.ts` bundles. Its first argument names the fault that comes after a while.
 */

const STORE_BEAT_MS = 100;
const FAULT_AFTER_MS = 2_000;
const NO_THREAD = 0;
/** Plays a new store thread that opens a large database: it is busy, and does not beat. */
const OPENING_THREAD = `
  const { workerData: pulse } = require('node:worker_threads');
  Atomics.store(pulse, ${STORE_PULSE.opening}, 1);
  Atomics.store(pulse, ${STORE_PULSE.threadId}, Number(require('node:fs').readlinkSync('/proc/thread-self').split('/').at(-1)));
  for (;;);
`;

const [, , fault = ''] = process.argv;
const quiet = () => 0;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const timing = { ...WATCH_TIMING, mainLateMs: 500, mainDeadMs: 1_000, storeDeadMs: 1_000 };
const watch = openWatch(threadEntry('watch-thread'), log, timing);

function busyFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

// The main thread also plays the store thread: when it stops beating, it sleeps like a thread that waits for a disk.
const storeBeat = setInterval(() => Atomics.add(watch.storePulse, STORE_PULSE.beat, 1), STORE_BEAT_MS);
Atomics.store(watch.storePulse, STORE_PULSE.threadId, process.pid);
watch.serving();

setTimeout(() => {
  if (fault === 'mainStuck') busyFor(6_000);
  if (fault === 'storeGone') Atomics.store(watch.storePulse, STORE_PULSE.threadId, NO_THREAD);
  if (fault === 'storeOpens') new Worker(OPENING_THREAD, { eval: true, workerData: watch.storePulse });
  if (fault.startsWith('store')) clearInterval(storeBeat);
}, FAULT_AFTER_MS);
setInterval(() => undefined, 1_000);
