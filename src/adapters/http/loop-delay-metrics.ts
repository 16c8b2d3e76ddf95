import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

/** Sampling ten times as often would cost as much processor time as a tenth of all statuses. */
export const LOOP_SAMPLE_MS = 100;

type Samples = ReturnType<typeof monitorEventLoopDelay>;

const STATISTICS: readonly (readonly [name: string, intervalNs: (samples: Samples) => number])[] = [
  ['min', (samples) => samples.min],
  ['mean', (samples) => samples.mean],
  ['p50', (samples) => samples.percentile(50)],
  ['p90', (samples) => samples.percentile(90)],
  ['p99', (samples) => samples.percentile(99)],
  ['max', (samples) => samples.max],
];

/**
 * How late the event loop was since the last scrape. It replaces the library's metrics of these names, which have the
 * sampling interval in them: an idle loop would seem to be late by it.
 */
export function readLoopDelay(registry: Registry): void {
  const samples = monitorEventLoopDelay({ resolution: LOOP_SAMPLE_MS });
  samples.enable();
  registry.removeSingleMetric('nodejs_eventloop_lag_stddev_seconds');
  const gauges: Gauge[] = [];
  const takeSamples = () => {
    if (samples.count === 0) return;
    for (const [place, [, intervalNs]] of STATISTICS.entries()) {
      gauges[place]?.set(Math.max(0, intervalNs(samples) / 1e9 - LOOP_SAMPLE_MS / 1_000));
    }
    samples.reset();
  };
  for (const [name] of STATISTICS) {
    const metric = `nodejs_eventloop_lag_${name}_seconds`;
    registry.removeSingleMetric(metric);
    const help = `How late the event loop was since the last scrape, in seconds: ${name}`;
    // Metrics are read in the order of their registration, so the first one sets all.
    const collect = gauges.length === 0 ? { collect: takeSamples } : {};
    gauges.push(new Gauge({ name: metric, help, registers: [registry], ...collect }));
  }
}
