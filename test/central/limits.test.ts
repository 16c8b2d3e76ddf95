import { afterAll, beforeEach, expect, it } from 'vitest';
import { PostgresLimits } from '../../src/central/postgres/limits.ts';
import type { Postgres } from '../../src/central/postgres/postgres.ts';
import type { TokenBuckets } from '../../src/domain/token-buckets.ts';
import { SharedLimits } from '../../src/flows/shared-limits.ts';
import { quietLog } from '../adapters/store/open-test-store.ts';
import { endPostgresServer, openTestPostgres } from './central-under-test.ts';

afterAll(endPostgresServer);

let postgres: Postgres;

beforeEach(async () => {
  postgres = await openTestPostgres();
});

const CAPACITY = 10;
const MINUTE_MS = 60_000;
const clock = { now: () => ({ monotonicMs: performance.now(), wallMs: Date.now() }) };

class Node {
  readonly limits: SharedLimits;
  readonly requests: TokenBuckets;
  readonly lines: string[] = [];

  constructor() {
    const log = { ...quietLog, debug: (_: object, message: string) => void this.lines.push(message) };
    this.limits = new SharedLimits({ exchange: new PostgresLimits(postgres), clock, log });
    this.requests = this.limits.open('requests', { capacity: CAPACITY, refillMs: MINUTE_MS, mostNames: 100 });
  }

  take(name: string, tokens: number): void {
    for (let taken = 0; taken < tokens; taken += 1) this.requests.take(name, performance.now());
  }

  /** The tokens that are left. It takes them. */
  left(name: string): number {
    let left = 0;
    while (this.requests.tryTake(name, performance.now())) left += 1;
    return left;
  }
}

async function exchange(...nodes: readonly Node[]): Promise<void> {
  for (const { limits } of nodes) await limits.exchange();
}

it('D-113 nodes take from their buckets what the others took, once', async () => {
  const [a, b, c] = [new Node(), new Node(), new Node()];
  await exchange(a, b, c);
  a.take('ada', CAPACITY - 3);
  b.take('ada', 1);
  a.take('\u0000\ud800', 2);
  for (let round = 0; round < 3; round += 1) await exchange(a, b, c);
  expect(c.left('ada')).toBe(2);
  await exchange(c, a, b);
  expect([a, b].map((node) => node.left('ada'))).toEqual([0, 0]);
  expect(b.left('bob')).toBe(CAPACITY);
});

it('D-113 tokens that a node gives back are given back at the others', async () => {
  const [a, b] = [new Node(), new Node()];
  a.take('ada', 4);
  b.take('ada', 4);
  await exchange(a, b, a);
  a.requests.forget('ada');
  await exchange(a, b);
  expect([a, b].map((node) => node.left('ada'))).toEqual([CAPACITY, CAPACITY]);
});

it('D-113 a node that starts knows what was taken in the minutes before, so a restart gives nothing back', async () => {
  const a = new Node();
  a.take('ada', CAPACITY);
  a.take('bob', CAPACITY);
  await exchange(a);
  await postgres.run('UPDATE central.limit_use SET at = at - $1', [2 * MINUTE_MS]);
  const again = new Node();
  await exchange(again);
  expect(again.left('ada')).toBe(2);
  await postgres.run('UPDATE central.limit_use SET at = at - $1', [4 * MINUTE_MS]);
  const late = new Node();
  await exchange(late);
  expect(late.left('bob')).toBe(CAPACITY);
  // The node that starts deletes what is too old for anyone.
  expect(await postgres.query('SELECT FROM central.limit_use')).toEqual([]);
});

it('D-113 a node deletes what it told minutes ago, and tells nothing if nothing was taken', async () => {
  const [a, b] = [new Node(), new Node()];
  await exchange(a, b);
  a.take('ada', 1);
  await exchange(a, a, b);
  expect(await postgres.query('SELECT turn, taken FROM central.limit_use')).toEqual([
    { turn: 2, taken: [{ limit: 'requests', name: 'ada', tokens: 1 }] },
  ]);
  await postgres.run('UPDATE central.limit_use SET at = at - $1', [6 * MINUTE_MS]);
  await exchange(b);
  expect(await postgres.query('SELECT FROM central.limit_use')).toHaveLength(1);
  await exchange(a);
  expect(await postgres.query('SELECT FROM central.limit_use')).toEqual([]);
});

it('D-113 without the database each node counts for itself and says so once; what it took meanwhile is not told later', async () => {
  const [a, b] = [new Node(), new Node()];
  await exchange(a, b);
  await postgres.script('ALTER TABLE central.limit_use RENAME TO away');
  for (let round = 0; round < 3; round += 1) {
    a.take('ada', 2);
    await exchange(a, b);
  }
  expect(a.lines).toEqual(['this node counts limits for itself']);
  await postgres.script('ALTER TABLE central.away RENAME TO limit_use');
  a.take('ada', 1);
  await exchange(a, b);
  expect(b.left('ada')).toBe(CAPACITY - 1);
  expect(a.left('ada')).toBe(CAPACITY - 7);
  await postgres.script('ALTER TABLE central.limit_use RENAME TO away');
  await exchange(a);
  expect(a.lines).toHaveLength(2);
});

it('D-113 a node that was without the database learns what others took, but for limits that are whole again since', async () => {
  const [a, b] = [new Node(), new Node()];
  const quick = { capacity: CAPACITY, refillMs: 100, mostNames: 100 };
  const [ofA, ofB] = [a, b].map(({ limits }) => limits.open('quick', quick));
  await exchange(a, b);
  a.take('ada', 5);
  for (let taken = 0; taken < 1_000; taken += 1) ofA?.take('ada', performance.now());
  await exchange(a);
  await postgres.run('UPDATE central.limit_use SET at = at - $1', [MINUTE_MS / 2]);
  await postgres.script('ALTER TABLE central.limit_use RENAME TO away');
  await exchange(b);
  await postgres.script('ALTER TABLE central.away RENAME TO limit_use');
  await exchange(b);
  expect(b.left('ada')).toBe(CAPACITY - 5);
  expect(ofB?.has('ada', performance.now())).toBe(true);
});

it('D-113 what was taken costs no WAL: its table is UNLOGGED', async () => {
  const [table] = await postgres.query("SELECT relpersistence FROM pg_class WHERE oid = 'central.limit_use'::regclass");
  expect(table).toEqual({ relpersistence: 'u' });
});
