import { errorMessage } from '../../domain/error-text.ts';
import type { ClockExchange, GatewayHealth } from '../../domain/fleet/gateway-health.ts';
import type { ToldPlant } from '../../domain/fleet/told-plant.ts';
import { parseJsonObject } from '../../domain/json/json.ts';
import { HOUR_MS } from '../../domain/time.ts';
import type { Clock, Log } from '../ports.ts';
import { SYNC_PATH } from './discover-server.ts';
import { type After, ForwardLoop } from './forward-loop.ts';
import type { QueueTotals } from './sync-ports.ts';
import type { CentralAnswer, CentralServer } from './upstream-ports.ts';

export interface HealthReporterOptions {
  readonly server: Pick<CentralServer, 'ask'>;
  /** Whether a server with the batch extension is connected. */
  readonly isConnected: () => boolean;
  readonly health: () => Promise<Omit<GatewayHealth, 'exchange'>>;
  readonly store: { queueTotals(server: 'batch'): Promise<Pick<QueueTotals, 'stream'>> };
  /** What is told of the plant, and its digest. */
  readonly plant: () => { readonly digest: string; readonly told: ToldPlant };
  readonly gatewayId: string;
  readonly clock: Clock;
  readonly after: After;
  readonly log: Log;
}

const PLANT_PATH = `${SYNC_PATH}/plant`;
const HEALTH_PATH = `${SYNC_PATH}/health`;
const LOOK_MS = 1_000;
/** The pause between two reports. */
const REPORT_EVERY_MS = 15_000;
/** The pause while the server does not know this gateway yet, or its clock was not compared yet. */
const SOON_MS = 5_000;
/** An older server that knows no reports is not asked again for this long. */
const UNKNOWN_THERE_MS = HOUR_MS;
const MAX_ANSWER_BYTES = 1_024;

/**
 * Tells the central server the condition of this gateway (contract.md, Upstream; D-97). A report goes beside the
 * batches: one that fails changes nothing about the connection, and the next one replaces it.
 */
export class HealthReporter extends ForwardLoop {
  readonly #options: HealthReporterOptions;
  #exchange: ClockExchange | null = null;

  constructor(options: HealthReporterOptions) {
    super(options.after);
    this.#options = options;
  }

  protected override async turn(): Promise<number> {
    if (!this.#options.isConnected()) return LOOK_MS;
    try {
      return await this.#report();
    } catch (error) {
      this.#options.log.debug({ error: errorMessage(error) }, 'the condition of the gateway was not told');
      return REPORT_EVERY_MS;
    }
  }

  async #report(): Promise<number> {
    const { store, health, plant, server, gatewayId, clock } = this.#options;
    const { stream } = await store.queueTotals('batch');
    if (stream === null) return LOOK_MS;
    const { digest, told } = plant();
    const own = { ...(await health()), exchange: this.#exchange };
    const body = JSON.stringify({ gatewayId, stream, health: own, plantDigest: digest });
    const sent = clock.now();
    const request = { method: 'POST', path: HEALTH_PATH, body, maxAnswerBytes: MAX_ANSWER_BYTES } as const;
    const answer = await server.ask(request);
    const roundTripMs = clock.now().monotonicMs - sent.monotonicMs;
    if (isUnknown(answer)) return UNKNOWN_THERE_MS;
    const said = saidIn(answer);
    if (said === null) return REPORT_EVERY_MS;
    const isFirst = this.#exchange === null;
    this.#exchange = { sentAt: sent.wallMs, roundTripMs, receivedAt: said.receivedAt };
    if (said.wantsPlant) await this.#tellPlant({ gatewayId, stream, digest, plant: told });
    return said.isKept && !isFirst ? REPORT_EVERY_MS : SOON_MS;
  }

  async #tellPlant(plant: object): Promise<void> {
    const body = JSON.stringify(plant);
    await this.#options.server.ask({ method: 'POST', path: PLANT_PATH, body, maxAnswerBytes: MAX_ANSWER_BYTES });
  }
}

function isUnknown(answer: CentralAnswer): boolean {
  return answer.kind === 'answered' && (answer.status === 404 || answer.status === 405);
}

interface Said {
  readonly receivedAt: number;
  readonly isKept: boolean;
  readonly wantsPlant: boolean;
}

function saidIn(answer: CentralAnswer): Said | null {
  if (answer.kind !== 'answered' || answer.status !== 200 || answer.extent !== 'whole') return null;
  const { receivedAt, isKept, wantsPlant } = parseJsonObject(answer.bytes.toString('utf8')) ?? {};
  return typeof receivedAt === 'number'
    ? { receivedAt, isKept: isKept === true, wantsPlant: wantsPlant === true }
    : null;
}
