import { fork } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadEvent, LoadPlan, LoadResult } from './load-plan.ts';
import { type LoopDelay, loopDelayOf } from './loop-delay.ts';
import { type Usage, usageOf } from './process-usage.ts';
import { underRealTime } from './real-time.ts';
import type { Target } from './targets.ts';

export interface Measured extends LoadResult {
  readonly target: string;
  readonly connectSeconds: number;
  readonly cpuUsPerConnect: number;
  /** The same when they come back to a server that has been running for a while; NaN if they do not. */
  readonly cpuUsPerReturn: number;
  readonly cpuUsPerMessage: number;
  /** The growth of the target with its machines connected, per 1,000 of them. */
  readonly mibPer1000: number;
  readonly loopDelay: LoopDelay;
}

/** A server that has just become ready still works on its start, which is not part of the cost of a connect. */
const SETTLE_MS = 1_500;

const NO_LOOP_DELAY: LoopDelay = { p99Ms: Number.NaN, maxMs: Number.NaN };

/**
 * Puts a load on a target from a separate process; only the target's CPU counts, user and system. `onMeasuring` is
 * called when the first counted message is sent.
 */
export async function measureLoad(target: Target, plan: LoadPlan, onMeasuring?: () => void): Promise<Measured> {
  await delay(SETTLE_MS);
  const [execPath = process.execPath, ...execArgv] = [
    ...underRealTime('devices'),
    process.execPath,
    '--single-threaded-gc',
    '--max-semi-space-size=64',
  ];
  const load = fork(path.join(import.meta.dirname, 'load-process.ts'), { execPath, execArgv });
  const idle = usageOf(target.pid);
  const usages = new Map<LoadEvent['event'], Usage>();
  let connectSeconds = 0;
  let loopDelay: Promise<LoopDelay> | null = null;
  return new Promise((resolve, reject) => {
    load.on('error', reject);
    load.on('exit', (code) => code !== 0 && reject(new Error(`the load ended with ${code}`)));
    load.on('message', async (message: LoadEvent) => {
      usages.set(message.event, usageOf(target.pid));
      if (message.event === 'measuring') onMeasuring?.();
      if (message.event === 'connected') connectSeconds = message.milliseconds / 1_000;
      // Each reading starts it again, so the time between the last two counts; the code of the first reading is not
      // compiled yet.
      if (message.event === 'connected' || message.event === 'measuring' || message.event === 'driven')
        loopDelay = loopDelayOf(target);
      if (message.event !== 'measured') return;
      load.send('done');
      const { result } = message;
      const cpuUs = (from: LoadEvent['event'], to: LoadEvent['event']) =>
        (usages.get(to)?.cpuUs ?? Number.NaN) - (usages.get(from)?.cpuUs ?? Number.NaN);
      const connected = usages.get('connected') ?? idle;
      resolve({
        target: target.name,
        connectSeconds,
        cpuUsPerConnect: (connected.cpuUs - idle.cpuUs) / plan.machines,
        cpuUsPerReturn: cpuUs('returning', 'returned') / plan.machines,
        cpuUsPerMessage: cpuUs('measuring', 'driven') / Math.max(1, result.sent),
        mibPer1000: ((connected.residentMiB - idle.residentMiB) * 1_000) / plan.machines,
        loopDelay: (await loopDelay) ?? NO_LOOP_DELAY,
        ...result,
      });
    });
    load.send(plan);
  });
}
