import type { StopKind } from './machine-design.ts';
import { between, type Random, type Range } from './random.ts';
import { REASON_OF_OTHERS, REASON_OF_STOP } from './sample-reasons.ts';

export interface CrewOptions {
  readonly httpUrl: string;
  /** A key with the rights of a technician. */
  readonly key: string;
  readonly random: Random;
  /** Why a machine stands still, as those who stand next to it know. */
  readonly stopOf: (machineId: string) => StopKind | null;
  readonly log: (line: string) => void;
}

/** Long enough for whoever watches to be quicker. */
const REACTION_MS: Range = [15_000, 40_000];
const ROUND_MS = 3_000;
const REQUEST_TIMEOUT_MS = 5_000;

/** People who categorize the downtimes of simulated machines, for rule 4 would hold these forever (DEV-11). */
export function startCrew(options: CrewOptions): { stop(): void } {
  const crew = new Crew(options);
  const timer = setInterval(() => crew.goRound(), ROUND_MS);
  return {
    stop: () => {
      clearInterval(timer);
      crew.leave();
    },
  };
}

class Crew {
  readonly #options: CrewOptions;
  readonly #leaving = new AbortController();
  /** When each machine that waits will be seen to, on the monotonic clock, and what the crew saw when it stopped. */
  readonly #waiting = new Map<string, { readonly dueMs: number; readonly stop: StopKind | null }>();
  #isOnRound = false;

  constructor(options: CrewOptions) {
    this.#options = options;
  }

  goRound(): void {
    if (this.#isOnRound) return;
    this.#isOnRound = true;
    this.#round()
      .catch((error: unknown) => {
        if (!this.#leaving.signal.aborted) this.#options.log(`crew  could not go round: ${messageOf(error)}`);
      })
      .finally(() => {
        this.#isOnRound = false;
      });
  }

  leave(): void {
    this.#leaving.abort();
  }

  async #round(): Promise<void> {
    const waiting = machinesThatWait(await this.#call('GET', '/api/local/machines'));
    for (const machineId of this.#waiting.keys()) if (!waiting.includes(machineId)) this.#waiting.delete(machineId);
    for (const machineId of waiting) await this.#attend(machineId);
  }

  async #attend(machineId: string): Promise<void> {
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
    for (const downtimeId of textsOf(await this.#call('GET', path), 'downtimeId')) {
      const category = `/api/local/downtimes/${encodeURIComponent(downtimeId)}/category`;
      await this.#call('PUT', category, { reasonId, userName: 'crew' });
      log(`crew  categorized a downtime of ${machineId} as ${reasonId}`);
    }
  }

  async #call(method: 'GET' | 'PUT', path: string, body?: object): Promise<unknown> {
    const { httpUrl, key } = this.#options;
    const answer = await fetch(new URL(path, httpUrl), {
      method,
      headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.any([this.#leaving.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text.slice(0, 200)}`);
    return JSON.parse(text);
  }
}

function machinesThatWait(machines: unknown): readonly string[] {
  if (!Array.isArray(machines)) return [];
  return textsOf(
    machines.filter((machine: unknown) => isObject(machine) && machine.uncategorizedDowntimes !== 0),
    'machineId',
  );
}

function textsOf(records: unknown, field: string): readonly string[] {
  if (!Array.isArray(records)) return [];
  const values: readonly unknown[] = records.map((record: unknown) => (isObject(record) ? record[field] : undefined));
  return values.filter((value) => typeof value === 'string');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
