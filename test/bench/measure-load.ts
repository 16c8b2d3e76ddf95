import { fork } from 'node:child_process';
import path from 'node:path';
import type { LoadEvent, LoadPlan, LoadResult } from './load-plan.ts';
import { type LoopDelay, loopDelayOf } from './loop-delay.ts';
import { usageOf } from './process-usage.ts';
import type { Target } from './targets.ts';

export interface Measured extends LoadResult {
  readonly target: string;
  readonly connectSeconds: number;
  readonly cpuUsPerConnect: number;
  readonly cpuUsPerMessage: number;
  /** How much the target grew with its machines connected, per 1,000 of them. */
  readonly mibPer1000: number;
  readonly loopDelay: LoopDelay;
}

/** Puts a load on a target from a process of its own; the target's CPU counts, user and system, nobody else's. */
export function measureLoad(target: Target, plan: LoadPlan): Promise<Measured> {
  const load = fork(path.join(import.meta.dirname, 'load-process.ts'));
  const idle = usageOf(target.pid);
  let connected = idle;
  let measuring = idle;
  let connectSeconds = 0;
  return new Promise((resolve, reject) => {
    load.on('error', reject);
    load.on('exit', (code) => code !== 0 && reject(new Error(`the load ended with ${code}`)));
    load.on('message', async (message: LoadEvent) => {
      const usage = usageOf(target.pid);
      const loopDelay = await loopDelayOf(target);
      if (message.event === 'connected') {
        connected = usage;
        connectSeconds = message.milliseconds / 1_000;
      } else if (message.event === 'measuring') measuring = usage;
      else {
        load.send('done');
        const { result } = message;
        resolve({
          target: target.name,
          connectSeconds,
          cpuUsPerConnect: (connected.cpuUs - idle.cpuUs) / plan.machines,
          cpuUsPerMessage: (usage.cpuUs - measuring.cpuUs) / Math.max(1, result.sent),
          mibPer1000: ((connected.residentMiB - idle.residentMiB) * 1_000) / plan.machines,
          loopDelay,
          ...result,
        });
      }
    });
    load.send(plan);
  });
}
