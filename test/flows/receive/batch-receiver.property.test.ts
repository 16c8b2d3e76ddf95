import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenedStore, openStore } from '../../../src/adapters/store/client/sqlite-store.ts';
import { CodedError } from '../../../src/domain/error.ts';
import type { BatchAnswer, BatchFact, PointSeries, SyncBatch } from '../../../src/domain/sync/batch.ts';
import { receivedMachineId } from '../../../src/domain/sync/received-id.ts';
import { KeyedMutex } from '../../../src/flows/keyed-mutex.ts';
import type { Incident } from '../../../src/flows/ports.ts';
import { BatchReceiver } from '../../../src/flows/receive/batch-receiver.ts';
import { eventually, quietLog, RF1, SHIFT_DATE, START_AT, threadEntry } from '../../adapters/store/open-test-store.ts';
import { BatchSender, type SentBatch } from '../../fakes/batch-sender.ts';

/** Events of a gateway's line, its data directory, and the store. */
const STEP = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('queue' as const), of: fc.nat(), facts: fc.nat(4), points: fc.nat(6) }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('send' as const), of: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('sendUnheard' as const), of: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sendTwiceAtOnce' as const), of: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('late' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('backUp' as const), of: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restore' as const), of: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('clone' as const), of: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), forMs: fc.nat(20_000) }) },
);
type Step = typeof STEP extends fc.Arbitrary<infer T> ? T : never;

let opened: OpenedStore;
let dataDir = '';
let plants = 0;

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'plantgate-receive-'));
  opened = await openStore({
    dataDir,
    threadEntry,
    retention: { variableDays: 90, statusDays: 30, productionDays: 30, auditDays: 730 },
    forwarding: null,
    monotonicMs: () => performance.now(),
    wallMs: () => START_AT,
    log: quietLog,
  });
});
afterAll(async () => {
  await opened.store.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Longer than a holder of a name may be silent. */
const LONG_SILENCE_MS = 16_000;
const SHIFT = 'Day';

/** Null if no answer came. */
type Answer = BatchAnswer | 'diverged' | 'held' | 'refused' | null;

interface Directory {
  sender: BatchSender;
  backup: BatchSender | null;
}

/** Gateways, their copies and their lines, and what a receiver must hold in the end. */
class Plants {
  readonly incidents: Incident[] = [];
  readonly carriedOut = new Map<string, number>();
  readonly #number = plants++;
  readonly #directories: Directory[];
  readonly #sent: SentBatch[] = [];
  readonly #receiver: BatchReceiver;
  readonly #downtimes = new Map<string, Set<string>>();
  readonly #points = new Map<string, number[]>();
  /** The last shift that each stream sent of its gateway. */
  readonly #said = new Map<string, number>();
  /** The streams of each gateway in the order in which they took its name. */
  readonly #order = new Map<string, readonly string[]>();
  /** Streams whose name a person gave to another stream. */
  readonly #overruled = new Set<string>();
  readonly #taken = new Set<string>();
  #streams = 0;
  #made = 0;
  #nowMs = 0;

  constructor() {
    const { store } = opened;
    this.#directories = [0, 1, 2].map((place) => ({
      sender: new BatchSender(`plant-${this.#number}-${place}`, () => `stream-${this.#streams++}`),
      backup: null,
    }));
    const operations = {
      known: (ids: readonly string[]) => store.knownOperations(ids),
      carryOut: async (gatewayId: string, { operationId }: { operationId: string }) => {
        // The operation is on disk with its receipt, like in the real flow.
        await store.write([{ kind: 'receivedOperation', operationId, gatewayId, at: START_AT }]);
        this.carriedOut.set(operationId, (this.carriedOut.get(operationId) ?? 0) + 1);
        return null;
      },
    };
    const clock = { now: () => ({ monotonicMs: this.#nowMs, wallMs: START_AT }) };
    this.#receiver = new BatchReceiver({
      store,
      operationsIn: () => operations,
      incidents: { report: (one) => this.incidents.push(one) },
      clock,
      turns: new KeyedMutex('gateway', 8),
      exchange: null,
    });
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'queue':
        this.#queue(this.#directory(step.of), step.facts, step.points);
        return;
      case 'send':
        await this.#send(this.#directory(step.of));
        return;
      case 'sendUnheard':
        await this.#post(this.#directory(step.of));
        return;
      case 'sendTwiceAtOnce':
        await Promise.all([this.#post(this.#directory(step.of)), this.#send(this.#directory(step.of))]);
        return;
      case 'late': {
        const late = this.#sent[step.which % Math.max(1, this.#sent.length)];
        if (late !== undefined) await this.#deliver(late);
        return;
      }
      case 'backUp': {
        const directory = this.#directory(step.of);
        directory.backup = directory.sender.copy();
        return;
      }
      case 'restore': {
        const directory = this.#directory(step.of);
        if (directory.backup === null) return;
        // Records that were never sent would be gone with the directory, and the receiver could not have them.
        await this.#sendAll(directory);
        directory.sender = directory.backup.copy();
        return;
      }
      case 'clone':
        this.#directories.push({ sender: this.#directory(step.of).sender.copy(), backup: null });
        return;
      case 'crash': {
        const { store, testing } = opened;
        await eventually(() => store.counters().health.state === 'ok');
        // A successful write lets the thread restart at once, without a back-off.
        await store.write([{ kind: 'machineState', machineId: RF1, json: '{}' }]);
        const before = store.counters().threadRestarts;
        testing.crash();
        await eventually(() => store.counters().threadRestarts > before);
        return;
      }
      case 'pass':
        this.#nowMs += step.forMs;
    }
  }

  /** The line is good again: everything that waits goes out. */
  async drain(): Promise<void> {
    for (const directory of this.#directories) await this.#sendAll(directory);
  }

  async check(): Promise<void> {
    const { store } = opened;
    await eventually(() => store.counters().health.state === 'ok');
    for (const [gatewayId, expected] of this.#points) {
      const machineId = receivedMachineId(gatewayId, 'RF-01');
      const found = await store.variablePoints(machineId, 'lineSpeed', { shiftDate: SHIFT_DATE });
      expect(found.points.map(({ value }) => value)).toEqual(expected);
      const downtimes = await store.downtimes(machineId, { uncategorizedOnly: false, limit: 10_000 });
      expect(new Set(downtimes.map(({ downtimeId }) => downtimeId))).toEqual(this.#downtimes.get(gatewayId));
    }
    for (const { sender } of this.#directories) {
      const { gatewayId } = sender;
      const shifts = await store.shifts(receivedMachineId(gatewayId, 'RF-01'), SHIFT_DATE);
      expect(shifts[0]?.totals.goodParts).toBe(this.#shown(gatewayId));
    }
    for (const times of this.carriedOut.values()) expect(times).toBe(1);
  }

  #directory(of: number): Directory {
    const found = this.#directories[of % this.#directories.length];
    if (found === undefined) throw new Error('no gateway');
    return found;
  }

  #queue({ sender }: Directory, facts: number, points: number): void {
    const { gatewayId } = sender;
    const downtimes = this.#downtimes.get(gatewayId) ?? new Set();
    const values = this.#points.get(gatewayId) ?? [];
    this.#downtimes.set(gatewayId, downtimes);
    this.#points.set(gatewayId, values);
    const records = Array.from({ length: facts }, (_, place): BatchFact => {
      this.#made += 1;
      const act = { type: 'coilMove', coilId: 'C-1', location: 'WH-A1' } as const;
      if (place % 2 === 1) {
        const operationId = `op-${this.#number}-${this.#made}`;
        return { kind: 'act', queued: { operationId, at: START_AT, principal: 'sam', act } };
      }
      if (place % 4 === 2) {
        const times = { runningMs: 0, stoppedMs: 0, downMs: 0, faultMs: 0, overrideMs: 0, offlineMs: 0 };
        const totals = { goodParts: this.#made, badParts: 0, cycles: 0, ...times };
        return { kind: 'shift', shift: { machineId: RF1, shiftDate: SHIFT_DATE, shiftName: SHIFT, totals } };
      }
      const downtime = { downtimeId: `DT-${this.#made}`, machineId: RF1, startedAt: START_AT + this.#made };
      downtimes.add(`${gatewayId}/${downtime.downtimeId}`);
      return { kind: 'downtime', downtime: { ...downtime, endedAt: null, reasonId: null, note: null, userName: null } };
    });
    const at = Array.from({ length: points }, () => ++this.#made);
    values.push(...at);
    const series: PointSeries = {
      machineId: 'RF-01',
      name: 'lineSpeed',
      shiftDate: SHIFT_DATE,
      at: at.map((time) => START_AT + time),
      value: at,
    };
    sender.queue(records, points === 0 ? [] : [series]);
  }

  async #sendAll(directory: Directory): Promise<void> {
    while (directory.sender.batch() !== null) {
      const answer = await this.#send(directory);
      if (answer === 'held') this.#nowMs += LONG_SILENCE_MS;
      if (answer === 'refused') await this.#grant(directory.sender);
    }
  }

  async #grant({ gatewayId, stream }: BatchSender): Promise<void> {
    await this.#receiver.grant({ gatewayId, stream, principal: 'sam' });
    const holder = this.#order.get(gatewayId)?.at(-1);
    if (holder !== undefined) this.#overruled.add(holder);
    this.#overruled.delete(stream);
    this.#noteHolder(gatewayId, stream);
  }

  /** Totals of one directory only grow: the highest total of a stream is the newest, even if it arrived first. */
  #shown(gatewayId: string): number | undefined {
    const counted = (this.#order.get(gatewayId) ?? []).filter((stream) => !this.#overruled.has(stream));
    const said = counted.map((stream) => this.#said.get(stream)).filter((total) => total !== undefined);
    return said.length === 0 ? undefined : Math.max(...said);
  }

  #noteHolder(gatewayId: string, stream: string): void {
    const before = this.#order.get(gatewayId) ?? [];
    this.#order.set(gatewayId, [...before.filter((other) => other !== stream), stream]);
  }

  /** Sends the same batch again until there is an answer, like a gateway. */
  async #send(directory: Directory): Promise<Answer> {
    const answer = await this.#post(directory);
    if (answer === 'diverged') directory.sender.restartStream();
    else if (answer !== null && typeof answer === 'object') directory.sender.acknowledged(answer.position);
    return answer;
  }

  async #post({ sender }: Directory): Promise<Answer> {
    const batch = sender.batch();
    if (batch === null) return null;
    this.#sent.push(batch);
    return this.#deliver(batch);
  }

  async #deliver({ gzip, batch, digest }: SentBatch): Promise<Answer> {
    try {
      const answer = await this.#receiver.receive(
        { bytes: gzip, isGzip: true },
        { principal: 'sam', plantId: 'default' },
      );
      if (!this.#taken.has(digest)) this.#noteTaken(batch);
      this.#taken.add(digest);
      return answer;
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      if (error.code === 'conflict') return 'diverged';
      if (error.code === 'held') return 'held';
      if (error.code === 'not-permitted') return 'refused';
      if (error.code !== 'store-unavailable') throw error;
      // The thread is being restarted.
      await new Promise((resolve) => setTimeout(resolve, 10));
      return null;
    }
  }

  #noteTaken({ gatewayId, stream, records }: SyncBatch): void {
    this.#noteHolder(gatewayId, stream);
    for (const record of records) {
      if (record.kind === 'shift') this.#said.set(stream, record.shift.totals.goodParts);
    }
  }
}

describe('gateways on a bad line', () => {
  it('D-27 UP-02 have every record received once, and totals of one directory, despite lost answers, repetitions, late copies and restored or copied data directories', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 5, maxLength: 50 }), async (steps) => {
        const gateways = new Plants();
        for (const step of steps) await gateways.take(step);
        await gateways.drain();
        await gateways.check();
      }),
      { numRuns: 15 },
    );
  }, 120_000);
});
