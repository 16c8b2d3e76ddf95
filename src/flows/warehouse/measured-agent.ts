import type { Clock } from '../ports.ts';
import type { LegacyAgent, LegacyLocation, LegacyOutcome, LegacyRequest } from './warehouse-ports.ts';

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
