import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { StoreRecord } from '../../../../src/flows/store-ports.ts';
import { rounds } from '../../../rounds.ts';
import { newDataDir, openTestCore, point, START_AT, type TestCore, variables } from '../open-test-store.ts';
import { coilMove, downtime, sample, shift } from './queued-records.ts';

type Happening = 'pack' | 'thin' | 'condense' | 'acknowledge' | 'fail' | 'heads';

const WHYS = ['bootEnd', 'partChange', 'change', 'repeat'] as const;
const seq = fc.integer({ min: 1, max: 60 });
const id = seq.map(String);
const few = fc.array(seq, { maxLength: 5 });
const moment = fc.integer({ min: 0, max: 50 });

const record: fc.Arbitrary<StoreRecord> = fc.oneof(
  fc.tuple(fc.constantFrom('C-1', 'C-2'), id).map(([coil, place]) => coilMove(coil, place)),
  fc
    .tuple(fc.constantFrom('RF-01', 'RF-02'), moment, fc.constantFrom(...WHYS))
    .map(([machine, at, why]) => sample(machine, START_AT + at, why)),
  seq.map((parts) => shift(parts)),
  fc.constantFrom('D-1', 'D-2').map((downtimeId) => downtime(downtimeId, null)),
  fc.constantFrom('D-1', 'D-2').map((downtimeId) => ({ kind: 'downtimeRemoved' as const, downtimeId })),
  moment.map((at) => variables([point(at, START_AT + at), point(at, START_AT + at, 'motorTemp')])),
  few.map((seqs) => ({ kind: 'rowsSent' as const, seqs })),
  few.map((rows) => ({ kind: 'pointsSent' as const, rows })),
  few.map((rows) => ({ kind: 'pointsHeld' as const, rows })),
  seq.map((number) => ({ kind: 'rowSetAside' as const, seq: number, reason: 'no', at: START_AT })),
  id.map((text) => ({ kind: 'setAsideRetried' as const, id: text })),
  id.map((text) => ({ kind: 'setAsideDiscarded' as const, id: text })),
  moment.map((at) => ({ kind: 'statusesCondensed' as const, before: START_AT + at })),
);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.array(record, { minLength: 1, maxLength: 6 }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Happening[]>('pack', 'thin', 'condense', 'acknowledge', 'fail', 'heads'),
  },
);

/** Depth and bytes of each class, by counting. */
const COUNTED = `
  SELECT class, count(*) AS depth, sum(bytes) AS bytes FROM queue GROUP BY class
  UNION ALL SELECT 'setAside', count(*), sum(bytes) FROM set_aside HAVING count(*) > 0
  UNION ALL SELECT iif(held_before IS NULL, 'points', 'heldPoints'), sum(points), sum(bytes)
    FROM queue_points GROUP BY held_before IS NULL
  ORDER BY class`;
const KEPT = 'SELECT class, depth, bytes FROM queue_total WHERE depth > 0 OR bytes > 0 ORDER BY class';
const HEADS = `SELECT entity, min(seq) AS head FROM queue WHERE class = 'act' GROUP BY entity ORDER BY entity`;
const LANES = 'SELECT entity, head FROM queue_head ORDER BY entity';
const ALL_HEADS = 'SELECT min(seq) AS seq FROM queue WHERE fact_key IS NULL GROUP BY entity ORDER BY seq';

const UNSTORABLE: StoreRecord = {
  kind: 'orderPut',
  order: { orderKey: 'O', json: 'no JSON', at: 0, principal: 'pat' },
};

async function take(core: TestCore, now: Happening): Promise<void> {
  const { packer, forwarding } = core;
  if (now === 'pack') {
    packer.begin();
    while (packer.isPacking) packer.slice();
  }
  if (now === 'thin') {
    forwarding.thinning.slice();
    while (forwarding.thinning.isBusy) forwarding.thinning.slice();
  }
  if (now === 'condense') forwarding.statuses.slice();
  if (now === 'fail') expect(() => core.write([coilMove('C-1', '1'), sample('RF-01', START_AT), UNSTORABLE])).toThrow();
  if (now === 'heads') {
    // The question may drop statuses; the rows after it count.
    const heads = forwarding.entityQueues.list([], 100).map(({ seq: head }) => ({ seq: head }));
    expect(heads).toEqual(core.connection.prepare(ALL_HEADS).all());
  }
  if (now !== 'acknowledge') return;
  const batch = await forwarding.batches.next();
  if (batch === null) return;
  const refused = [{ seq: 1, reason: 'no' }];
  core.write([{ kind: 'batchAcknowledged', digest: batch.digest, refused, at: START_AT }]);
}

/** A droppable status is dropped in a transaction that is rolled back, and is there again. */
const SPARE_BEFORE_ROLLBACK: (StoreRecord[] | Happening)[] = [
  [{ kind: 'statusesCondensed', before: START_AT + 1 }],
  [sample('RF-01', START_AT, 'change')],
  'condense',
  'fail',
  'heads',
];

it('UP-06 totals and heads of entity queues always equal a full count', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const core = openTestCore(newDataDir(), 'run', false, {
        gatewayId: 'plant1',
        server: 'central',
        maxBytes: 6_000,
      });
      const all = (sql: string) => core.connection.prepare(sql).all();
      for (const now of steps) {
        if (typeof now === 'string') await take(core, now);
        else core.write(now);
        expect(all(KEPT)).toEqual(all(COUNTED));
        expect(all(LANES)).toEqual(all(HEADS));
      }
      core.close();
    }),
    { numRuns: rounds(60), examples: [[SPARE_BEFORE_ROLLBACK]] },
  );
}, 60_000);
