import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { MIB } from '../domain/byte-units.ts';

export interface UnusedHeapTiming {
  readonly lookMs: number;
  /** Memory that was not used for this time is given back. */
  readonly calmMs: number;
}

const TIMING: UnusedHeapTiming = { lookMs: 1_000, calmMs: 30_000 };
/** Less than this stays with V8, which needs it again in the next flood. */
const MIN_UNUSED_BYTES = 16 * MIB;
/** After each try this much more memory counts as needed. So a try that came too early is repeated, and the tries end. */
const GROWTH_BYTES = 4 * MIB;
/** The first collection may have begun before it was told to save memory. */
const COLLECTIONS = 2;

/**
 * Gives back the pages of this thread's heap that were used only in a flood. V8 keeps each page that it ever needed at
 * once, and looks for unused ones only while the thread is nearly idle: 500 machines at work held 320 instead of 210
 * MiB after the attacks of `npm run attack`, for ever. Goes on until the process ends.
 */
export async function returnUnusedHeap(timing: UnusedHeapTiming = TIMING): Promise<never> {
  let neededBytes = await leastOutsideHeap(timing);
  for (;;) {
    const keptBytes = await leastOutsideHeap(timing);
    if (!Number.isFinite(keptBytes)) continue;
    if (keptBytes - neededBytes < MIN_UNUSED_BYTES) {
      neededBytes = Math.min(neededBytes, keptBytes);
      continue;
    }
    await collectForSize();
    neededBytes += GROWTH_BYTES;
  }
}

/** Gives the least memory outside the heap during the next `calmMs`. */
async function leastOutsideHeap({ lookMs, calmMs }: UnusedHeapTiming): Promise<number> {
  let leastBytes = Number.POSITIVE_INFINITY;
  for (let passedMs = 0; passedMs < calmMs; passedMs += lookMs) {
    await delay(lookMs, undefined, { ref: false });
    leastBytes = Math.min(leastBytes, bytesOutsideHeap());
  }
  return leastBytes;
}

/**
 * The resident memory that is not part of this thread's heap and its buffers; V8's unused pages are among it. The system
 * answers from memory, so no disk holds up this thread.
 */
function bytesOutsideHeap(): number {
  try {
    const { rss, heapTotal, external } = process.memoryUsage();
    return rss - heapTotal - external;
  } catch {
    // No file descriptor is left to read it with: this is no time to give memory back.
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Waits for the next large collections, and lets them give back what they do not need. They do not move objects
 * together, because that would double their pause.
 */
function collectForSize(): Promise<void> {
  setFlagsFromString('--optimize-for-size');
  setFlagsFromString('--no-compact');
  return new Promise((resolve) => {
    let collections = 0;
    const observer = new PerformanceObserver((entries) => {
      collections += entries.getEntries().filter(isLargeCollection).length;
      if (collections < COLLECTIONS) return;
      observer.disconnect();
      setFlagsFromString('--no-optimize-for-size');
      setFlagsFromString('--compact');
      resolve();
    });
    observer.observe({ type: 'gc' });
  });
}

/** Whether Node tells of a collection of the whole heap. */
function isLargeCollection(entry: PerformanceEntry): boolean {
  if (!('detail' in entry) || typeof entry.detail !== 'object' || entry.detail === null) return false;
  return 'kind' in entry.detail && entry.detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}
