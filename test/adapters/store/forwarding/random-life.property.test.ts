import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { OpenedStore } from '../../../../src/adapters/store/client/sqlite-store.ts';
import type { SyncBatch } from '../../../../src/domain/sync/batch.ts';
import type { OutgoingBatch, SyncRecord } from '../../../../src/flows/forward/sync-ports.ts';
import { newDataDir, point, START_AT, variables } from '../open-test-store.ts';
import { coilMove, openedBatch, openForwardingStore, sample, shift } from './queued-records.ts';

const ENTITIES = ['C-0', 'C-1', 'C-2'];

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('append' as const), count: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'batch' as const }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'acknowledge' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'loseAnswer' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restartStream' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'crash' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'reopen' as const }) },
);
type Step = typeof step extends fc.Arbitrary<infer Kind> ? Kind : never;

/** A central server that keeps each batch once: it takes a batch that follows the one before, or repeats that one. */
class Ledger {
  readonly moves = new Map<string, string[]>();
  readonly statuses: number[] = [];
  readonly points: number[] = [];
  shiftParts = 0;
  #stream = '';
  #position = '';
  readonly #seen = new Set<string>();

  /** Gives false if the server knows another past. */
  take(batch: OutgoingBatch): boolean {
    const content = openedBatch(batch);
    if (batch.digest === this.#position) return true;
    const follows = content.stream === this.#stream ? content.previous === this.#position : content.previous === '';
    if (!follows) return false;
    this.#stream = content.stream;
    this.#position = batch.digest;
    this.#apply(content);
    return true;
  }

  /** Records that come again in a new stream are recognised by their content, like at a real server. */
  #apply({ records, points }: SyncBatch): void {
    for (const record of records) {
      if (record.kind === 'act' && record.queued.act.type === 'coilMove') {
        const { coilId, location } = record.queued.act;
        this.#once(record.queued.operationId, () => {
          this.moves.set(coilId, [...(this.moves.get(coilId) ?? []), location]);
        });
      }
      if (record.kind === 'status') this.#once(`s${record.sample.at}`, () => this.statuses.push(record.sample.at));
      if (record.kind === 'shift') this.shiftParts = record.shift.totals.goodParts;
    }
    for (const value of points.flatMap((series) => series.value)) {
      this.#once(`p${value}`, () => this.points.push(value));
    }
  }

  #once(key: string, apply: () => void): void {
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    apply();
  }
}

class Life {
  readonly ledger = new Ledger();
  readonly #dataDir: string;
  #opened: OpenedStore;
  #batch: OutgoingBatch | null = null;
  #written = 0;
  #streams = 0;

  constructor(dataDir: string, opened: OpenedStore) {
    this.#dataDir = dataDir;
    this.#opened = opened;
  }

  get store() {
    return this.#opened.store;
  }

  get written(): number {
    return this.#written;
  }

  async take(now: Step): Promise<void> {
    switch (now.kind) {
      case 'append':
        for (let count = 0; count < now.count; count += 1) await this.#append();
        return;
      case 'batch':
        this.#batch = await this.#insist(() => this.store.outgoingBatch());
        return;
      case 'acknowledge':
        return this.#send(true);
      case 'loseAnswer':
        return this.#send(false);
      case 'restartStream':
        this.#streams += 1;
        await this.#write([{ kind: 'streamRestarted', stream: `stream ${this.#streams}` }]);
        this.#batch = null;
        return;
      case 'crash':
        this.#opened.testing.crash();
        return;
      case 'reopen':
        await this.store.close();
        this.#opened = await openForwardingStore({ dataDir: this.#dataDir });
        this.#batch = null;
    }
  }

  /** Sends until no record waits. */
  async drain(): Promise<void> {
    for (;;) {
      await this.take({ kind: 'batch' });
      if (this.#batch === null) return;
      await this.#send(true);
    }
  }

  async #append(): Promise<void> {
    const number = this.#written;
    const move = coilMove(ENTITIES[number % ENTITIES.length] ?? '', String(number));
    const own = [move, sample('RF-01', number), shift(number + 1), variables([point(number, START_AT + number)])];
    this.#written += 1;
    await this.store.write(own);
  }

  async #send(isAnswered: boolean): Promise<void> {
    const batch = this.#batch;
    if (batch === null) return;
    this.#batch = null;
    if (!this.ledger.take(batch)) {
      await this.take({ kind: 'restartStream' });
    } else if (isAnswered) {
      await this.#write([{ kind: 'batchAcknowledged', digest: batch.digest, refused: [], at: START_AT }]);
    }
  }

  #write(records: readonly SyncRecord[]): Promise<void> {
    return this.store.write(records);
  }

  /** Puts a question again that a crash lost. */
  async #insist<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      try {
        return await ask();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }
}

it('UP-02 D-27 forwarding loses nothing, doubles nothing and keeps the order of each entity under random disturbances', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const dataDir = newDataDir();
      const life = new Life(dataDir, await openForwardingStore({ dataDir }));
      for (const now of steps) await life.take(now);
      await life.drain();
      const { ledger, written, store } = life;
      const numbers = Array.from({ length: written }, (_, index) => index);
      for (const [place, entity] of ENTITIES.entries()) {
        const expected = numbers.filter((number) => number % ENTITIES.length === place).map(String);
        expect(ledger.moves.get(entity) ?? []).toEqual(expected);
      }
      expect([ledger.statuses, ledger.points, ledger.shiftParts]).toEqual([numbers, numbers, written]);
      expect(await store.queueTotals('batch')).toMatchObject({ depth: 0, bytes: 0, oldestAt: null });
      await store.close();
    }),
    { numRuns: 8 },
  );
}, 120_000);
