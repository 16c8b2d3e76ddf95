import { CodedError } from '../../domain/error.ts';
import { KeyedMutex } from '../../flows/keyed-mutex.ts';
import type { GatewayTurns } from '../../flows/receive/receive-ports.ts';
import type { Postgres } from '../postgres/postgres.ts';

/**
 * Turns of gateways over all nodes: a turn is a transaction that holds the gateway's lock. Batches that wait at this node
 * wait here and not at the database, so that one gateway does not take all connections.
 */
export class PostgresTurns implements GatewayTurns {
  readonly #postgres: Postgres;
  readonly #own: KeyedMutex;

  constructor(postgres: Postgres, maxWaiting: number) {
    this.#postgres = postgres;
    this.#own = new KeyedMutex('gateway', maxWaiting);
  }

  async runExclusive<T>(gatewayId: string, work: () => Promise<T>): Promise<T> {
    const outcome = await this.#own.runExclusive(gatewayId, () =>
      this.#postgres.inTurn('gateway', gatewayId, () => settled(work)),
    );
    if (outcome.kind === 'refused') throw outcome.error;
    return outcome.value;
  }
}

/** A refusal is an outcome as well: what was written before it, such as the refusal of a name, is committed. */
async function settled<T>(work: () => Promise<T>) {
  try {
    return { kind: 'done', value: await work() } as const;
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return { kind: 'refused', error } as const;
  }
}
