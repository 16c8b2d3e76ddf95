import { setTimeout as wait } from 'node:timers/promises';
import type {
  LegacyAgent,
  LegacyLocation,
  LegacyOutcome,
  WarehouseQueries,
} from '../../../flows/warehouse/warehouse-ports.ts';

export interface SimulatedAgentOptions {
  readonly store: Pick<WarehouseQueries, 'coil'>;
  readonly random: () => number;
}

/** The simulated legacy system's time to answer: a small database on the plant's network. */
const SHORTEST_MS = 40;
const LONGEST_MS = 160;

/** A legacy system that agrees with the gateway in everything, for the demo. */
export class SimulatedAgent implements LegacyAgent {
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
