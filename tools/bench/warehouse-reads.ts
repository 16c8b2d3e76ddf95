import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'undici';
import { Latencies } from './latencies.ts';
import type { Target } from './targets.ts';
import { COILS, KEYS, TASKS } from './warehouse-data.ts';

/**
 * Each kind of question with its permitted milliseconds; the first one is empty, and shows the cost of a question
 * itself.
 */
const READS: readonly (readonly [what: string, path: string, limitMs: number])[] = [
  ['no question', '/healthz', 2],
  ['1,000 tasks', 'warehouseTasks?take=1000', 30],
  ['1,000 tasks, deep', `warehouseTasks?take=1000&skip=${TASKS - 1_500}`, 30],
  ['tasks, filters', 'warehouseTasks?take=1000&onlyIncomplete=true&taskType=WarehouseToMachine&skip=20000', 30],
  [
    'tasks, a time',
    'warehouseTasks?take=1000&requiredAfter=2023-12-01T00:00:00Z&requiredBefore=2023-12-20T00:00:00Z',
    30,
  ],
  ['tasks, none', 'warehouseTasks?destinationLocation=none', 30],
  ['a task', 'warehouseTasks/T-1007', 2],
  ['1,000 coils', 'coils?take=1000', 50],
  ['coils, deep', `coils?take=1000&includeComplete=true&skip=${COILS - 1_500}`, 50],
  ['a coil', 'coils/C-70007', 2],
  ['search: all', 'coils/search?includeComplete=true&take=1000', 50],
  ['search: deep', `coils/search?includeComplete=true&take=1000&skip=${COILS / 2}`, 50],
  ['search: colour', `coils/search?includeComplete=true&take=1000&sort=-color&skip=${COILS / 2}`, 50],
  ['search: length', `coils/search?take=1000&sort=lengthRemainingFt&skip=${Math.round(COILS / 3)}`, 50],
  ['search: date', 'coils/search?take=1000&sort=-dateIn&skip=1000', 50],
  ['search: q=c', 'coils/search?q=c&take=1000', 50],
  ['search: q=h830', 'coils/search?q=h830&sort=-currentWeightLbs', 50],
  ['search: 8 words', 'coils/search?q=c+h+p+g+b+r+1+2&take=1000&sort=location', 50],
  ['search: none', 'coils/search?q=zzz', 50],
  [
    'search: every filter',
    'coils/search?q=c&materialType=Galvalume&color=White&gauge=16&widthIn=25&minimumLengthFt=100&location=WH-70&take=1000',
    50,
  ],
];

const ROUNDS = 50;
/** The store reads half a million coils once when it opens. */
const READY_WITHIN_MS = 120_000;
/** The pause between questions under load: some eight a second. */
const PAUSE_MS = 100;

/** Asks a gateway about its warehouse with many keys in turn, because the requests of each key are limited. */
export class WarehouseReader {
  readonly #client: Client;
  readonly #latencies = new Map(READS.map(([what]) => [what, new Latencies()]));
  #asked = 0;
  #turn = 0;

  constructor(target: Target) {
    this.#client = new Client(`http://127.0.0.1:${target.httpPort}`);
  }

  /** Waits until the coils can be searched; gives the time. */
  async ready(): Promise<number> {
    const sinceMs = performance.now();
    while (performance.now() - sinceMs < READY_WITHIN_MS) {
      if ((await this.#read('coils/search?take=1')) === 200) return performance.now() - sinceMs;
      await delay(PAUSE_MS);
    }
    throw new Error('the coils are not read within two minutes');
  }

  /** Asks every kind of question several times, one after the other. */
  async rounds(): Promise<void> {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [what, path] of READS) await this.#measure(what, path);
    }
  }

  /** Asks in turn for this time. */
  async askFor(milliseconds: number): Promise<void> {
    const endsAt = performance.now() + milliseconds;
    while (performance.now() < endsAt - PAUSE_MS) {
      const [what, path] = READS[this.#turn % READS.length] ?? ['', '', 0];
      this.#turn += 1;
      await this.#measure(what, path);
      await delay(PAUSE_MS);
    }
    await delay(Math.max(0, endsAt - performance.now()));
  }

  /** Prints the measurements, and forgets them. */
  report(): void {
    for (const [what, , limitMs] of READS) {
      const [p50Ms, p95Ms, maxMs] = this.#latencies.get(what)?.quantiles([0.5, 0.95, 1]) ?? [];
      const told = [p50Ms, p95Ms, maxMs].map((ms) => (ms ?? Number.NaN).toFixed(1).padStart(6));
      console.log(`  ${what.padEnd(22)} p50 ${told[0]} ms  p95 ${told[1]}  max ${told[2]}   of ${limitMs}`);
      this.#latencies.set(what, new Latencies());
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #measure(what: string, path: string): Promise<void> {
    const sinceMs = performance.now();
    const status = await this.#read(path);
    if (status !== 200) throw new Error(`${path} was answered with ${status}`);
    this.#latencies.get(what)?.add(performance.now() - sinceMs);
  }

  async #read(path: string): Promise<number> {
    this.#asked += 1;
    const authorization = `ApiKey ${KEYS[this.#asked % KEYS.length]}`;
    const { statusCode, body } = await this.#client.request({
      method: 'GET',
      path: path.startsWith('/') ? path : `/api/v1/${path}`,
      headers: { authorization },
    });
    await body.dump({ limit: Number.POSITIVE_INFINITY });
    return statusCode;
  }
}
