import type { Target } from './targets.ts';

/** The delays of a target's event loop since the last reading, in milliseconds; NaN if it does not report them. */
export interface LoopDelay {
  readonly p99Ms: number;
  readonly maxMs: number;
}

export async function loopDelayOf({
  hasMetrics,
  httpPort,
}: Pick<Target, 'hasMetrics' | 'httpPort'>): Promise<LoopDelay> {
  if (!hasMetrics) return { p99Ms: Number.NaN, maxMs: Number.NaN };
  const answer = await fetch(`http://127.0.0.1:${httpPort}/metrics`);
  const metrics = await answer.text();
  if (!answer.ok) return { p99Ms: Number.NaN, maxMs: Number.NaN };
  const delayMs = (name: string) =>
    Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)`, 'm').exec(metrics)?.[1]) * 1_000;
  return { p99Ms: delayMs('p99'), maxMs: delayMs('max') };
}
