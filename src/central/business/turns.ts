import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { CodedError } from '../../domain/error.ts';
import { errorMessage } from '../../domain/error-text.ts';
import type { Log } from '../../flows/ports.ts';
import type { Journal } from './journal.ts';

/** A turn is kept while operations run. After this time no further one joins it if another node waits for its turn. */
const JOIN_WITHIN_MS = 250;
/** The pause behind a turn that ended for that reason. */
const PAUSE_MS = 15;
const RENEW_EVERY_MS = 3_000;
/** Longer than a node that is gone holds its turn. */
const WAIT_AT_MOST_MS = 12_000;
const ASK_EVERY_MS = 5;
const ASK_AT_LEAST_EVERY_MS = 40;

interface Turn {
  readonly number: number;
  /** Since when operations join it without a look whether another node waits. */
  sinceMs: number;
  readonly renewal: NodeJS.Timeout;
  readonly over: PromiseWithResolvers<void>;
  operations: number;
}

/**
 * Turns of this node to decide about business records: while it has the turn no other node does, so each operation sees
 * all others. Operations at this node share a turn, and queue for one another as they do without other nodes.
 */
export class NodeTurns {
  readonly #journal: Journal;
  readonly #catchUp: (seq: number) => Promise<void>;
  readonly #monotonicMs: () => number;
  readonly #log: Log;
  readonly #own = new AsyncLocalStorage<Turn>();
  #present: Turn | null = null;
  #taking: Promise<void> | null = null;

  /** `catchUp` resolves when this node has everything up to a place of the journal. */
  constructor(
    journal: Journal,
    catchUp: (seq: number) => Promise<void>,
    { monotonicMs, log }: { readonly monotonicMs: () => number; readonly log: Log },
  ) {
    this.#journal = journal;
    this.#catchUp = catchUp;
    this.#monotonicMs = monotonicMs;
    this.#log = log;
  }

  /** The number of the turn in which the caller decides; null outside turns. */
  get number(): number | null {
    return this.#held?.number ?? null;
  }

  /**
   * Runs an operation in a turn, or in the turn that the caller has. Rejects with its error, and with `store-unavailable`
   * if the turn does not come: the database is away, or another node is very busy.
   */
  async run<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#held !== null) return operation();
    const turn = await this.#join();
    try {
      return await this.#own.run(turn, operation);
    } finally {
      turn.operations -= 1;
      if (turn.operations === 0) this.#end(turn);
    }
  }

  /** The caller's turn; null for work that an operation has left behind. */
  get #held(): Turn | null {
    const turn = this.#own.getStore();
    return turn !== undefined && turn.operations > 0 ? turn : null;
  }

  async #join(): Promise<Turn> {
    for (;;) {
      const turn = this.#present;
      if (turn === null) {
        this.#taking ??= this.#take().finally(() => {
          this.#taking = null;
        });
        await this.#taking;
      } else if (await this.#mayJoin(turn)) {
        turn.operations += 1;
        return turn;
      } else {
        await turn.over.promise;
        await delay(PAUSE_MS);
      }
    }
  }

  /** One slow operation holds the others of this node up only if another node waits. */
  async #mayJoin(turn: Turn): Promise<boolean> {
    const nowMs = this.#monotonicMs();
    if (nowMs - turn.sinceMs < JOIN_WITHIN_MS) return true;
    const isWanted = await this.#journal.isTurnWanted();
    // The turn may have ended meanwhile.
    if (isWanted || turn.operations === 0) return false;
    turn.sinceMs = nowMs;
    return true;
  }

  async #take(): Promise<void> {
    const startedMs = this.#monotonicMs();
    let pauseMs = ASK_EVERY_MS;
    for (;;) {
      const taken = await this.#journal.takeTurn();
      if (taken !== null) {
        await this.#begin(taken);
        return;
      }
      if (this.#monotonicMs() - startedMs > WAIT_AT_MOST_MS) {
        throw new CodedError('store-unavailable', 'another node of the central server is busy: try again');
      }
      await delay(pauseMs * (0.5 + Math.random()));
      pauseMs = Math.min(pauseMs * 2, ASK_AT_LEAST_EVERY_MS);
    }
  }

  async #begin({ turn: number, seq }: { readonly turn: number; readonly seq: number }): Promise<void> {
    try {
      await this.#catchUp(seq);
    } catch (error) {
      this.#release(number);
      throw error;
    }
    const renewal = setInterval(() => this.#renew(number), RENEW_EVERY_MS).unref();
    const over = Promise.withResolvers<void>();
    this.#present = { number, sinceMs: this.#monotonicMs(), renewal, over, operations: 0 };
  }

  #end(turn: Turn): void {
    clearInterval(turn.renewal);
    if (this.#present === turn) this.#present = null;
    turn.over.resolve();
    this.#release(turn.number);
  }

  /** A turn that could not be ended ends by itself after 10 s. */
  #release(number: number): void {
    this.#journal.endTurn(number).catch((error: unknown) => this.#tell(error));
  }

  /** A turn that could not be renewed may be over: its writes are then refused. */
  #renew(number: number): void {
    this.#journal.keepTurn(number).catch((error: unknown) => this.#tell(error));
  }

  #tell(error: unknown): void {
    this.#log.debug({ error: errorMessage(error) }, 'a turn could not be ended or renewed');
  }
}
