import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Backlog, type Entry } from '../../../../src/adapters/store/client/backlog.ts';
import type { Downtime } from '../../../../src/domain/machine/records.ts';
import type { SampleReason } from '../../../../src/domain/sync/status-sample.ts';
import type { StoreRecord } from '../../../../src/flows/store-ports.ts';
import { processorMs } from '../../../rounds.ts';
import { machine, machineState, point, RF1, variables } from '../open-test-store.ts';

const settle = { resolve: () => undefined, reject: () => undefined };
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

function drain(backlog: Backlog): StoreRecord[][] {
  const entries: Entry[] = [];
  while (backlog.records > 0) entries.push(...backlog.take(1, 1));
  return entries.map(({ records }) => [...records].filter((record) => record.kind !== 'clockCorrected'));
}

function downtime(downtimeId: string, note: string): StoreRecord {
  const stopped = { startedAt: 0, endedAt: null, reasonId: null, note, userName: null } as const;
  return { kind: 'downtime', downtime: { downtimeId, machineId: RF1, ...stopped } satisfies Downtime };
}

describe('Backlog', () => {
  it('UP-02 D-26 keeps the statuses of a machine together with its state, in order, without those that were only repeated', () => {
    const sample = (why: SampleReason, at: number): StoreRecord => ({
      kind: 'statusSample',
      sample: { machineId: RF1, at, why, json: String(at) },
    });
    const backlog = new Backlog(UNBOUNDED);
    backlog.add([machineState('1'), sample('repeat', 1)], 0);
    backlog.add([machineState('2'), sample('bootEnd', 2), sample('change', 3)], 1);
    backlog.add([machineState('other', machine('RF-02'))], 2);
    backlog.add([machineState('3'), sample('repeat', 4)], 3);
    expect(drain(backlog)).toEqual([
      [machineState('other', machine('RF-02'))],
      [sample('bootEnd', 2), sample('change', 3), machineState('3'), sample('repeat', 4)],
    ]);
    expect(backlog).toMatchObject({ records: 0, bytes: 0 });
  });

  it('D-25 a backlog full of awaited records refuses the next one at once', () => {
    const AWAITED = 100_000;
    const backlog = new Backlog(AWAITED * 100);
    for (let count = 0; count < AWAITED; count++) backlog.addAwaited([machineState('x')], 0, settle);
    const fromMs = processorMs();
    const answers = new Set(Array.from({ length: 5_000 }, () => backlog.makeRoom(200, 0)));
    expect([...answers]).toEqual([false]);
    // To look at each waiting record took seconds.
    expect(processorMs() - fromMs).toBeLessThan(500);
  });

  it('leaves the same facts behind as storing each record as it came', () => {
    const ids = fc.constantFrom('A', 'B');
    const record = fc.oneof(
      fc.tuple(ids, fc.nat()).map(([id, n]) => machineState(String(n), machine(id))),
      fc.tuple(ids, fc.nat()).map(([id, n]) => downtime(id, String(n))),
      ids.map((downtimeId): StoreRecord => ({ kind: 'downtimeRemoved', downtimeId })),
      fc.nat().map((n) => variables([point(n)])),
    );
    const step = fc.record({ isAwaited: fc.boolean(), records: fc.array(record, { minLength: 1, maxLength: 3 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const backlog = new Backlog(UNBOUNDED);
        for (const { isAwaited, records } of steps) {
          if (isAwaited) backlog.addAwaited(records, 0, settle);
          else backlog.add(records, 0);
        }
        const coalesced = drain(backlog).flat();
        expect(facts(coalesced)).toEqual(facts(steps.flatMap(({ records }) => records)));
        expect(backlog.bytes).toBe(0);
      }),
    );
  });
});

/** The content of a store after these records, in this order. */
function facts(records: readonly StoreRecord[]): { downtimes: unknown; states: unknown; points: unknown } {
  const downtimes = new Map<string, string | null>();
  const states = new Map<string, string>();
  const points: number[] = [];
  for (const record of records) {
    if (record.kind === 'downtime') downtimes.set(record.downtime.downtimeId, record.downtime.note);
    if (record.kind === 'downtimeRemoved') downtimes.delete(record.downtimeId);
    if (record.kind === 'machineState') states.set(record.machineId, record.json);
    if (record.kind === 'variables') points.push(...record.points.map(({ value }) => value));
  }
  return { downtimes: new Map([...downtimes].sort()), states: new Map([...states].sort()), points };
}
