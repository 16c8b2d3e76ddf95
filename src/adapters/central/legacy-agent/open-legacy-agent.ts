import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../../flows/ports.ts';
import type {
  LegacyAgent,
  LegacyLocation,
  LegacyOutcome,
  LegacyRequest,
  WarehouseQueries,
} from '../../../flows/warehouse/warehouse-ports.ts';
import type { HttpCentralServerOptions } from '../http-central-server.ts';
import type { HttpAgentOptions } from './http-agent.ts';

export type LegacyAgentSettings =
  | { readonly kind: 'none' }
  | ({ readonly kind: 'http' } & HttpAgentOptions)
  | ({ readonly kind: 'upstream' } & HttpCentralServerOptions)
  | ({ readonly kind: 'simulated' } & SimulatedAgentOptions);

/** Opens the legacy agent of the configured kind (contract.md, Configuration, legacyAgent). */
export async function openLegacyAgent(settings: LegacyAgentSettings): Promise<LegacyAgent> {
  switch (settings.kind) {
    case 'none':
      return noAgent;
    case 'simulated':
      return new SimulatedAgent(settings);
    case 'http': {
      // The module takes a tenth of a second to load; a start without it need not wait.
      const { HttpAgent } = await import('./http-agent.ts');
      return new HttpAgent(settings);
    }
    case 'upstream': {
      const { UpstreamAgent } = await import('./upstream-agent.ts');
      return new UpstreamAgent(settings);
    }
  }
}

const DETAIL = 'no legacy agent is configured: see legacyAgent.kind';

/** No legacy agent at all: every write is refused with 503, and none is ever sent. */
const noAgent: LegacyAgent = {
  move: () => Promise.resolve({ kind: 'offline', detail: DETAIL }),
  locate: () => Promise.resolve({ kind: 'unreachable', detail: DETAIL }),
  close: () => Promise.resolve(),
};

interface SimulatedAgentOptions {
  readonly store: Pick<WarehouseQueries, 'coil'>;
  readonly random: () => number;
}

/** The simulated legacy system's time to answer: a small database on the plant's network. */
const SHORTEST_MS = 40;
const LONGEST_MS = 160;

/** A legacy system that agrees with the gateway in everything, for the demo. */
class SimulatedAgent implements LegacyAgent {
  readonly #options: SimulatedAgentOptions;

  constructor(options: SimulatedAgentOptions) {
    this.#options = options;
  }

  async move(): Promise<LegacyOutcome> {
    await this.#takeTime();
    return { kind: 'applied' };
  }

  async locate(coilId: string): Promise<LegacyLocation> {
    await this.#takeTime();
    const coil = await this.#options.store.coil(coilId);
    return coil === null ? { kind: 'absent' } : { kind: 'at', location: coil.location };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #takeTime(): Promise<void> {
    return wait(SHORTEST_MS + this.#options.random() * (LONGEST_MS - SHORTEST_MS));
  }
}

const SILENT: ReadonlySet<(LegacyOutcome | LegacyLocation)['kind']> = new Set([
  'offline',
  'unconfirmed',
  'unreachable',
]);

/** A legacy agent with the time and the speed of its last answer. */
export class MeasuredAgent implements LegacyAgent {
  readonly #agent: LegacyAgent;
  readonly #clock: Clock;
  /** Null: it has not answered yet. `at` in wall-clock milliseconds. */
  lastAnswer: { readonly at: number; readonly tookMs: number } | null = null;

  constructor(agent: LegacyAgent, clock: Clock) {
    this.#agent = agent;
    this.#clock = clock;
  }

  move(write: LegacyRequest): Promise<LegacyOutcome> {
    return this.#measured(() => this.#agent.move(write));
  }

  locate(coilId: string, write: LegacyRequest): Promise<LegacyLocation> {
    return this.#measured(() => this.#agent.locate(coilId, write));
  }

  close(): Promise<void> {
    return this.#agent.close();
  }

  async #measured<Answer extends LegacyOutcome | LegacyLocation>(ask: () => Promise<Answer>): Promise<Answer> {
    const { monotonicMs } = this.#clock.now();
    const answer = await ask();
    const { monotonicMs: endMs, wallMs: at } = this.#clock.now();
    if (!SILENT.has(answer.kind)) this.lastAnswer = { at, tookMs: Math.round(endMs - monotonicMs) };
    return answer;
  }
}
