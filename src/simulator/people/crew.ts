import { type CallApi, recordsOf, textOf } from '../api-caller.ts';
import type { StopKind } from '../machine/machine-design.ts';
import { REASON_OF_OTHERS, REASON_OF_STOP } from '../plant/sample-reasons.ts';
import { between, type Random, type Range } from '../random.ts';
import { startWorker, type WorkerOptions } from '../worker.ts';

export interface CrewOptions extends WorkerOptions {
  readonly random: Random;
  /** The reason for a machine's stop, as known to people beside it. */
  readonly stopOf: (machineId: string) => StopKind | null;
  /** Machines that the crew does not look after. */
  readonly leftAlone?: ReadonlySet<string>;
}

/** Long enough for a person watching to be quicker. */
const REACTION_MS: Range = [15_000, 40_000];
const ROUND_MS = 3_000;

/**
 * People who categorize the downtimes of simulated machines, because rule 4 would hold these for ever (DEV-11). Takes a
 * technician's key.
 */
export function startCrew(options: CrewOptions): { stop(): void } {
  const crew = new Crew(options);
  return startWorker('crew', ROUND_MS, options, (call) => crew.goRound(call));
}

class Crew {
  readonly #options: CrewOptions;
  /**
   * The time, on the monotonic clock, at which the crew comes to each waiting machine, and the reason that it saw at
   * the stop.
   */
  readonly #waiting = new Map<string, { readonly dueMs: number; readonly stop: StopKind | null }>();

  constructor(options: CrewOptions) {
    this.#options = options;
  }

  async goRound(call: CallApi): Promise<void> {
    const { leftAlone } = this.#options;
    const machines = recordsOf(await call('GET', '/api/local/machines'));
    const waiting = machines
      .filter(({ uncategorizedDowntimes }) => uncategorizedDowntimes !== 0)
      .map((machine) => textOf(machine, 'machineId'))
      .filter((machineId) => leftAlone?.has(machineId) !== true);
    for (const machineId of this.#waiting.keys()) if (!waiting.includes(machineId)) this.#waiting.delete(machineId);
    for (const machineId of waiting) await this.#attend(machineId, call);
  }

  async #attend(machineId: string, call: CallApi): Promise<void> {
    const { random, stopOf, log } = this.#options;
    const noticed = this.#waiting.get(machineId);
    if (noticed === undefined) {
      this.#waiting.set(machineId, {
        dueMs: performance.now() + between(REACTION_MS, random),
        stop: stopOf(machineId),
      });
      return;
    }
    if (performance.now() < noticed.dueMs) return;
    this.#waiting.delete(machineId);
    const reasonId = noticed.stop === null ? REASON_OF_OTHERS : REASON_OF_STOP[noticed.stop];
    const path = `/api/local/machines/${encodeURIComponent(machineId)}/downtimes?uncategorized=true`;
    for (const downtime of recordsOf(await call('GET', path))) {
      const category = `/api/local/downtimes/${encodeURIComponent(textOf(downtime, 'downtimeId'))}/category`;
      await call('PUT', category, { reasonId, userName: 'crew' });
      log(`crew  categorized a downtime of ${machineId} as ${reasonId}`);
    }
  }
}
