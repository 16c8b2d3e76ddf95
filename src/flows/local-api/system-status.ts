import { errorMessage } from '../../domain/error-text.ts';
import { DAY_MS, isoTime } from '../../domain/time.ts';
import type { SyncStatusFlow } from '../forward/sync-status-flow.ts';
import type { Clock, Log } from '../ports.ts';
import type { StoreCounters } from '../store-health-ports.ts';
import type { GatewayVitals } from './local-api-ports.ts';
import type {
  AgentView,
  Certificate,
  CertificateView,
  GatewayAddresses,
  QueueSample,
  SystemView,
} from './system-ports.ts';

export interface SystemStatusOptions {
  readonly gatewayId: string;
  readonly version: string;
  readonly timeZone: string;
  readonly shifts: SystemView['clock']['shifts'];
  readonly agentKind: string;
  readonly agent: () => AgentView;
  readonly certificates: () => readonly Certificate[];
  readonly addresses: () => GatewayAddresses | null;
  readonly store: () => StoreCounters;
  readonly broker: GatewayVitals['broker'];
  readonly deviceInputs: () => number;
  /** Rejects if the disk gives no answer. */
  readonly freeBytes: () => Promise<number>;
  readonly sync: Pick<SyncStatusFlow, 'numbers'>;
  readonly clock: Clock;
  readonly log: Log;
}

const SAMPLE_INTERVAL_MS = 60_000;
const SAMPLES = 24 * 60;

/** The state of the computer and services under the gateway, and a day of the queue in memory. */
export class SystemStatus {
  readonly #options: SystemStatusOptions;
  readonly #startedMs: number;
  readonly #timer: NodeJS.Timeout;
  readonly #samples: QueueSample[] = [];
  #inputs = { count: 0, atMs: 0 };
  #inputsPerSecond = 0;

  constructor(options: SystemStatusOptions) {
    this.#options = options;
    this.#startedMs = options.clock.now().monotonicMs;
    this.#inputs = { count: options.deviceInputs(), atMs: this.#startedMs };
    this.#timer = setInterval(() => void this.sample(), SAMPLE_INTERVAL_MS).unref();
  }

  async view(): Promise<SystemView> {
    const { gatewayId, version, timeZone, shifts, agentKind, agent, certificates, addresses, clock } = this.#options;
    const { monotonicMs, wallMs } = clock.now();
    const { health, databaseBytes, commitMs, setAside, risks } = this.#options.store();
    const { connections, devices, retainedMessages, sessions } = this.#options.broker();
    return {
      gatewayId,
      version,
      uptimeSeconds: Math.round((monotonicMs - this.#startedMs) / 1_000),
      addresses: addresses(),
      disk: { state: health.state, freeBytes: await this.#freeBytes(), databaseBytes, commitMs, setAside, risks },
      clock: { now: isoTime(wallMs), timeZone, shifts },
      legacyAgent: { kind: agentKind, ...agent() },
      broker: { connections, devices, retainedMessages, sessions, inputsPerSecond: this.#rate(monotonicMs) },
      certificates: certificates().map((certificate) => certificateView(certificate, wallMs)),
    };
  }

  /** A sample for each minute of the last day since the start, oldest first. */
  queueHistory(): readonly QueueSample[] {
    return this.#samples;
  }

  /** Notes the present queue, and begins another minute of counting. */
  async sample(): Promise<void> {
    const { clock, sync, deviceInputs, log } = this.#options;
    const { monotonicMs, wallMs } = clock.now();
    this.#inputsPerSecond = this.#rate(monotonicMs);
    this.#inputs = { count: deviceInputs(), atMs: monotonicMs };
    try {
      const { depth, oldestAgeSeconds } = await sync.numbers();
      this.#samples.push({ at: isoTime(wallMs), depth, oldestAgeSeconds: Math.round(oldestAgeSeconds) });
      if (this.#samples.length > SAMPLES) this.#samples.shift();
    } catch (error) {
      log.debug({ error: errorMessage(error) }, 'the queue was not looked at');
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** The minute before counts until this one has lasted long enough for a rate. */
  #rate(monotonicMs: number): number {
    const { count, atMs } = this.#inputs;
    const elapsedMs = monotonicMs - atMs;
    if (elapsedMs < 1_000) return this.#inputsPerSecond;
    return Math.round(((this.#options.deviceInputs() - count) / elapsedMs) * 10_000) / 10;
  }

  async #freeBytes(): Promise<number | null> {
    try {
      return await this.#options.freeBytes();
    } catch (error) {
      this.#options.log.debug({ error: errorMessage(error) }, 'the disk does not say how much is free');
      return null;
    }
  }
}

function certificateView({ setting, subject, validUntilMs }: Certificate, wallMs: number): CertificateView {
  return {
    setting,
    subject,
    validUntil: isoTime(validUntilMs),
    daysLeft: Math.floor((validUntilMs - wallMs) / DAY_MS),
  };
}
