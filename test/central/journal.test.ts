import { readdir } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../src/adapters/store/client/sqlite-store.ts';
import { JournalFollower } from '../../src/central/business/follower.ts';
import { joinJournal } from '../../src/central/business/join.ts';
import { Journal } from '../../src/central/business/journal.ts';
import { keepCopies, NodeCopies } from '../../src/central/business/node-copies.ts';
import { recordsIn, recordTexts } from '../../src/central/business/record-text.ts';
import { SharedRecords } from '../../src/central/business/shared-records.ts';
import { NodeTurns } from '../../src/central/business/turns.ts';
import { Duty } from '../../src/central/postgres/duty.ts';
import type { Postgres } from '../../src/central/postgres/postgres.ts';
import type { StoreRecord } from '../../src/flows/store-ports.ts';
import { eventually, newDataDir, quietLog, START_AT, threadEntry } from '../adapters/store/open-test-store.ts';
import { endPostgresServer, openTestPostgres } from './central-under-test.ts';

afterAll(endPostgresServer);

const retention = { variableDays: 90, statusDays: 30, productionDays: 30, auditDays: 730 };
const [wallMs, monotonicMs] = [() => START_AT, () => performance.now()];

const openIn = (dataDir: string) => () =>
  openStore({ dataDir, threadEntry, retention, forwarding: null, monotonicMs, wallMs, log: quietLog });

/** A node without its flows: the journal, and a copy of it in a store of its own. */
async function openNode(postgres: Postgres, run: string, dataDir = newDataDir()) {
  const journal = new Journal(postgres, { plantId: 'default', run, wallMs });
  const copies = new NodeCopies(postgres, 'default');
  const open = openIn(dataDir);
  const position = await joinJournal({ dataDir, open, journal, copies, wallMs, log: quietLog });
  const { store: own } = await open();
  onTestFinished(() => own.close());
  const lost: string[] = [];
  const onLost = (reason: string) => void lost.push(reason);
  const follower = new JournalFollower({ journal, own, run, position, onLost, log: quietLog });
  const turns = new NodeTurns(journal, (seq) => follower.upTo(seq), { monotonicMs, log: quietLog });
  const records = new SharedRecords({ own, journal, follower, turns, log: quietLog });
  return { dataDir, journal, copies, own, follower, turns, records, lost };
}

const location = (code: string, name = code): StoreRecord => ({
  kind: 'plant',
  row: { kind: 'locations', id: code, json: JSON.stringify({ code, name, category: 'Warehouse' }) },
});
const entry = (entryId: string): StoreRecord => ({
  kind: 'audit',
  entry: {
    ...{ entryId, at: START_AT, who: 'ada', role: 'admin', address: '::1', act: 'putRecord', subject: entryId },
    ...{ before: null, after: null },
  },
});
const ALL = { before: null, take: 1_000, texts: [], range: null };
const NO_ORDER: StoreRecord = {
  kind: 'orderPut',
  order: { orderKey: 'O-1', json: '[]', at: START_AT, principal: 'erp' },
};

it('D-79 records come back from the journal as they were, with bytes, and in rows of bounded length', async () => {
  const bytes = fc.uint8Array({ maxLength: 50 });
  const value = fc.record({
    kind: fc.constant('x'),
    text: fc.string({ unit: 'binary' }),
    bytes,
    list: fc.array(fc.double()),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(value, { maxLength: 20 }), async (records) => {
      const texts = await recordTexts(records as never);
      const plain = JSON.parse(JSON.stringify(records.map(({ bytes: _, ...rest }) => rest)));
      const read = texts.flatMap(recordsIn) as unknown as { bytes: Uint8Array }[];
      expect(read.map(({ bytes: _, ...rest }) => rest)).toEqual(plain);
      expect(read.map((one) => [...one.bytes])).toEqual(records.map((one) => [...one.bytes]));
    }),
  );
  const many = Array.from({ length: 5_000 }, (_, index) => location(`WH-${index}`, 'n'.repeat(200)));
  const texts = await recordTexts(many);
  expect(texts.length).toBeGreaterThan(3);
  expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(300_000);
  expect(texts.flatMap(recordsIn)).toEqual(many);
});

it('D-79 nodes that write at the same time have the same copy in the end, with the numbers and hashes of the audit', async () => {
  const postgres = await openTestPostgres();
  const nodes = [await openNode(postgres, 'a'), await openNode(postgres, 'b'), await openNode(postgres, 'c')];
  await Promise.all(
    nodes.map(async ({ records }, node) => {
      for (let index = 0; index < 40; index += 1) {
        if (index % 3 === 0) records.record([entry(`${node}-${index}`)]);
        else await records.write([entry(`${node}-${index}`), location('WH-1', `${node}-${index}`)]);
      }
      await records.synced();
    }),
  );
  for (const { follower } of nodes) await follower.catchUp();
  const audits = await Promise.all(nodes.map(({ own }) => own.auditText(ALL)));
  const [first, ...others] = audits.map(({ bytes }) => Buffer.from(bytes).toString());
  expect(first?.match(/"subject"/g)?.length ?? 0).toBe(120);
  for (const other of others) expect(other).toBe(first);
});

it('D-79 an entry that the database refuses is refused to its caller alone, at every node', async () => {
  const postgres = await openTestPostgres();
  const [a, b] = [await openNode(postgres, 'a'), await openNode(postgres, 'b')];
  const writes = [[entry('before')], [location('WH-1'), NO_ORDER], [entry('behind')]].map((some) =>
    b.records.write(some),
  );
  const outcomes = await Promise.allSettled(writes);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(outcomes[1]).toMatchObject({ reason: { code: 'internal' } });
  await a.follower.catchUp();
  expect(a.follower.position).toEqual(b.follower.position);
  expect((await a.own.auditPage(ALL)).entries.map(({ entryId }) => entryId)).toEqual(['behind', 'before']);
});

it('D-79 one node at a time has the turn; a write of a turn that is over is refused, and changes nothing', async () => {
  const postgres = await openTestPostgres();
  const [a, b] = [await openNode(postgres, 'a'), await openNode(postgres, 'b')];
  const events: string[] = [];
  const work = (name: string, node: typeof a) =>
    node.turns.run(async () => {
      events.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 30));
      events.push(`${name} ends`);
    });
  await Promise.all([work('a', a), work('b', b), work('a', a), work('b', b)]);
  const nodes = events.map((event) => event[0]);
  expect(nodes.filter((name, index) => name !== nodes[index - 1]).length).toBe(2);
  const late = a.turns.run(async () => {
    // As if this node had been frozen for longer than a turn lasts.
    await postgres.run("UPDATE central.journal SET held_until = clock_timestamp() - interval '1 s'");
    await b.turns.run(() => b.records.write([location('WH-1', 'of b')]));
    await a.records.write([location('WH-1', 'of a')]);
  });
  await expect(late).rejects.toMatchObject({ code: 'store-unavailable' });
  await a.follower.catchUp();
  expect(a.follower.position).toEqual(b.follower.position);
  const rows = await postgres.query<{ records: string }>(
    "SELECT records FROM central.journal_entry WHERE records LIKE '%of a%'",
  );
  expect(rows).toEqual([]);
});

it('D-79 a slow operation holds the others of its node up only while another node waits for its turn', async () => {
  const postgres = await openTestPostgres();
  const [a, b] = [await openNode(postgres, 'a'), await openNode(postgres, 'b')];
  const slow = Promise.withResolvers<void>();
  const first = a.turns.run(() => slow.promise);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await a.turns.run(() => a.records.write([location('WH-1')]));
  const waiting = b.turns.run(() => b.records.write([location('WH-2')]));
  await new Promise((resolve) => setTimeout(resolve, 400));
  let isLateDone = false;
  const late = a.turns.run(async () => {
    isLateDone = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(isLateDone).toBe(false);
  slow.resolve();
  await Promise.all([first, waiting, late]);
});

it('D-79 a node that comes when the beginning of the journal is deleted begins with a copy', async () => {
  const postgres = await openTestPostgres();
  const a = await openNode(postgres, 'a');
  for (let index = 0; index < 30; index += 1) await a.records.write([entry(`e-${index}`)]);
  const duty = { isOurs: true };
  const parts = { dataDir: a.dataDir, own: a.own, copies: a.copies, follower: a.follower, duty, log: quietLog };
  await keepCopies(parts, { maxRows: 10 });
  for (let index = 30; index < 40; index += 1) await a.records.write([entry(`e-${index}`)]);
  await keepCopies(parts, { maxRows: 5 });
  const [before] = await postgres.query<{ rows: number }>('SELECT count(*) AS rows FROM central.journal_entry');
  expect(before?.rows).toBeLessThan(40);
  const b = await openNode(postgres, 'b');
  await b.follower.catchUp();
  expect(b.follower.position).toEqual(a.follower.position);
  const text = async (node: typeof a) => Buffer.from((await node.own.auditText(ALL)).bytes).toString();
  expect(await text(b)).toBe(await text(a));
  expect((await readdir(a.dataDir)).filter((name) => name.includes('for-nodes'))).toEqual([]);
});

it('D-79 a directory with records becomes the first node, also after it died amid that; one that began with nothing begins again', async () => {
  const postgres = await openTestPostgres();
  const early = newDataDir();
  const empty = await openNode(postgres, 'empty', early);
  await empty.own.close();
  const used = newDataDir();
  const { store } = await openIn(used)();
  // As if it had died before its copy was whole.
  const begun = { kind: 'journalPosition', history: 'own', seq: 0, writeId: '', run: '', at: START_AT } as const;
  await store.write([begun, location('WH-1'), entry('before')]);
  await store.close();
  const first = await openNode(postgres, 'first', used);
  await first.records.write([entry('behind')]);
  await expect(empty.follower.catchUp()).rejects.toThrow('another journal');
  for (const dataDir of [early, newDataDir()]) {
    const node = await openNode(postgres, 'other', dataDir);
    await node.follower.catchUp();
    const { entries } = await node.own.auditPage(ALL);
    expect(entries.map(({ entryId }) => entryId)).toEqual(['behind', 'before']);
    await node.own.close();
  }
});

it('D-79 a copy that belongs to a restored database is put aside, and one of another database is refused', async () => {
  const postgres = await openTestPostgres();
  const dataDir = newDataDir();
  const a = await openNode(postgres, 'a', dataDir);
  await a.records.write([entry('kept')]);
  const { seq } = a.follower.position;
  await a.records.write([entry('lost')]);
  await a.own.close();
  await postgres.run('DELETE FROM central.journal_entry WHERE seq > $1', [seq]);
  await postgres.run(
    'UPDATE central.journal SET seq = $1, write_id = (SELECT write_id FROM central.journal_entry WHERE seq = $1)',
    [seq],
  );
  await expect(a.follower.catchUp()).rejects.toThrow('restored to an earlier time');
  expect(a.lost).toEqual(['the database was restored to an earlier time']);
  const again = await openNode(postgres, 'a2', dataDir);
  await again.follower.catchUp();
  expect(Buffer.from((await again.own.auditText(ALL)).bytes).toString()).not.toContain('lost');
  const names = await readdir(path.resolve(dataDir));
  expect(names.some((name) => name.includes('.replaced-'))).toBe(true);
  await again.own.close();
  await expect(openNode(await openTestPostgres(), 'elsewhere', dataDir)).rejects.toMatchObject({ code: 'conflict' });
});

it('D-88 one node has a duty; another one takes it when that node gives it back, or is silent for 10 s', async () => {
  const postgres = await openTestPostgres();
  const open = async (run: string) => {
    const duty = new Duty(postgres, 'alerts', { run, log: quietLog });
    onTestFinished(() => duty.stop());
    await duty.start();
    return duty;
  };
  const [a, b] = [await open('a'), await open('b')];
  expect([a.isOurs, b.isOurs]).toEqual([true, false]);
  await a.stop();
  await eventually(() => b.isOurs);
  // A node that is gone renews nothing.
  await postgres.run("UPDATE central.duty SET holder = 'gone', held_until = clock_timestamp() - interval '1 ms'");
  await eventually(() => b.isOurs);
});
