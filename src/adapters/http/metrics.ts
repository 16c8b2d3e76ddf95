import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { SlicedWork } from '../../domain/sliced-work.ts';
import type { LocalApiFlow } from '../../flows/local-api/local-api-flow.ts';
import type { GatewayVitals } from '../../flows/local-api/local-api-ports.ts';
import type { Certificate } from '../../flows/local-api/system-ports.ts';
import type { Incidents } from '../../flows/ports.ts';
import type { BatchReceiver } from '../../flows/receive/batch-receiver.ts';
import { inSlices } from '../../runtime/slice.ts';
import type { DeviceEndpoint } from './device/device-endpoints.ts';
import { LIMITS } from './limits.ts';
import { readSync } from './sync-metrics.ts';

type StoreCounters = ReturnType<GatewayVitals['store']>;

export interface MetricsOptions {
  readonly api: Pick<LocalApiFlow, 'counters' | 'sync'>;
  readonly vitals: GatewayVitals;
  readonly incidents: Incidents;
  /** Null if no batches of other gateways are taken. */
  readonly received: Pick<BatchReceiver, 'counters'> | null;
  readonly httpConnections: () => number;
  readonly eventListeners: () => number;
  readonly certificates: () => readonly Certificate[];
  /** Metrics of many machines and gateways, which are made in slices. */
  readonly more: readonly (() => SlicedWork<string>)[];
}

const STORE_NUMBERS = [
  ['plantgate_store_pending_records', 'Records that wait for the disk', 'pendingRecords'],
  ['plantgate_store_pending_bytes', 'Bytes that wait for the disk', 'pendingBytes'],
  ['plantgate_store_oldest_pending_ms', 'How long the oldest record has waited for the disk', 'oldestPendingMs'],
  ['plantgate_store_commits_total', 'Commits', 'commits'],
  ['plantgate_store_records_total', 'Records stored', 'records'],
  ['plantgate_store_shed_records_total', 'Records given up because too many waited', 'shedRecords'],
  ['plantgate_store_refused_writes_total', 'Writes refused because the disk took nothing', 'refusedWrites'],
  ['plantgate_store_database_bytes', 'Size of the database file', 'databaseBytes'],
  ['plantgate_store_wal_bytes', 'Size of the write-ahead log', 'walBytes'],
  ['plantgate_store_thread_restarts_total', 'How often the store thread died', 'threadRestarts'],
] as const satisfies readonly (readonly [string, string, keyof StoreCounters])[];

/**
 * The library's default metrics that go through all connections: with thousands of them each scrape would delay every
 * machine.
 */
const LOOKS_AT_EACH_CONNECTION = [
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
  'nodejs_active_resources',
  'nodejs_active_resources_total',
  'process_open_fds',
];

/** Prometheus metrics: existing counters are read on request. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #more: MetricsOptions['more'];
  /** Counted here for every request, because a counter of the library would look up its labels each time. */
  readonly #deviceAnswers = { status: new Map<number, number>(), vars: new Map<number, number>() };

  #newest: Promise<string> | null = null;

  constructor(options: MetricsOptions) {
    this.#more = options.more;
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: LOOP_SAMPLE_MS });
    for (const name of LOOKS_AT_EACH_CONNECTION) this.#registry.removeSingleMetric(name);
    readLoopDelay(this.#registry);
    this.#readDeviceAnswers();
    this.#readLive(options);
    this.#readConnections(options);
    this.#readStore(options.vitals);
    this.#readCertificates(options);
    readSync(this.#registry, options.api.sync, options.incidents);
    if (options.received !== null) this.#readReceived(options.received);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Simultaneous requests share one text, because every client may ask and each text takes milliseconds. */
  text(): Promise<string> {
    this.#newest ??= this.#made();
    return this.#newest;
  }

  async #made(): Promise<string> {
    const forget = () => {
      this.#newest = null;
    };
    try {
      // prom-client writes `Nan`, which Prometheus does not read.
      const parts = [(await this.#registry.metrics()).replaceAll(/ Nan$/gm, ' NaN')];
      for (const make of this.#more) parts.push(await inSlices(make()));
      return parts.join('');
    } finally {
      setTimeout(forget, LIMITS.metricsSharedMs).unref();
    }
  }

  readonly countDeviceAnswer = (endpoint: DeviceEndpoint, status: number): void => {
    const answers = this.#deviceAnswers[endpoint];
    answers.set(status, (answers.get(status) ?? 0) + 1);
  };

  #readDeviceAnswers(): void {
    const answers = Object.entries(this.#deviceAnswers);
    new Gauge({
      name: 'plantgate_http_device_answers_total',
      help: 'Requests to the device endpoints by answer',
      labelNames: ['endpoint', 'status'],
      registers: [this.#registry],
      collect() {
        for (const [endpoint, counts] of answers)
          for (const [status, count] of counts) this.set({ endpoint, status }, count);
      },
    });
  }

  #readLive({ api }: MetricsOptions): void {
    this.#read('plantgate_machines', 'Configured machines', () => api.counters().machines);
    this.#read('plantgate_device_inputs_total', 'Statuses and single fields heard', () => api.counters().deviceInputs);
    this.#read('plantgate_decision_changes_total', 'Decisions that changed', () => api.counters().decisionChanges);
    new Gauge({
      name: 'plantgate_incidents_total',
      help: 'Trouble by kind, as diagnostics shows it',
      labelNames: ['kind'],
      registers: [this.#registry],
      collect() {
        for (const [kind, count] of api.counters().incidents) this.set({ kind }, count);
      },
    });
  }

  #readConnections({ vitals, httpConnections, eventListeners }: MetricsOptions): void {
    this.#read('plantgate_event_listeners', 'Listeners to /api/local/events', eventListeners);
    new Gauge({
      name: 'plantgate_connections',
      help: 'Open connections',
      labelNames: ['protocol'],
      registers: [this.#registry],
      collect() {
        this.set({ protocol: 'mqtt' }, vitals.broker().connections);
        this.set({ protocol: 'http' }, httpConnections());
      },
    });
  }

  #readStore(vitals: GatewayVitals): void {
    for (const [name, help, key] of STORE_NUMBERS) this.#read(name, help, () => vitals.store()[key]);
    this.#read(
      'plantgate_store_damaged_records',
      'Stored records that could not be read',
      () => vitals.store().damagedRecords.length,
    );
    this.#read(
      'plantgate_store_database_risks',
      'Settings of the database of a central server by which acknowledged batches may be lost, and a clock here that is not that of the database',
      () => vitals.store().risks.length,
    );
    this.#read('plantgate_store_set_aside_database', '1 while a damaged database lies beside the present one', () =>
      vitals.store().setAside === null ? 0 : 1,
    );
    this.#read('plantgate_store_healthy', '1 when the store works', () =>
      vitals.store().health.state === 'ok' ? 1 : 0,
    );
  }

  #readCertificates({ certificates }: MetricsOptions): void {
    new Gauge({
      name: 'plantgate_certificate_expiry_timestamp_seconds',
      help: 'Unix time at which a certificate of the gateway expires',
      labelNames: ['setting'],
      registers: [this.#registry],
      collect() {
        for (const { setting, validUntilMs } of certificates()) this.set({ setting }, validUntilMs / 1_000);
      },
    });
  }

  #readReceived(received: Pick<BatchReceiver, 'counters'>): void {
    this.#read(
      'plantgate_received_records_total',
      'Records and points of other gateways, each batch once',
      () => received.counters().records,
    );
    this.#read(
      'plantgate_received_refused_total',
      'Records of other gateways that were refused',
      () => received.counters().refused,
    );
    new Gauge({
      name: 'plantgate_received_batches_total',
      help: 'Batches of other gateways by what became of them',
      labelNames: ['outcome'],
      registers: [this.#registry],
      collect() {
        const { applied, repeated, diverged, failed } = received.counters();
        for (const [outcome, count] of Object.entries({ applied, repeated, diverged, failed })) {
          this.set({ outcome }, count);
        }
      },
    });
  }

  /** A number that is kept elsewhere. */
  #read(name: string, help: string, value: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(value());
      },
    });
  }
}

/** Sampling ten times as often would cost as much processor time as a tenth of all statuses. */
const LOOP_SAMPLE_MS = 100;

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
function readLoopDelay(registry: Registry): void {
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
