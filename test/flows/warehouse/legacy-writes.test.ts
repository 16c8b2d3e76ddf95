import { describe, expect, it } from 'vitest';
import { CodedError } from '../../../src/domain/error.ts';
import { progressOf } from '../../../src/domain/warehouse/task.ts';
import { LegacyWrites } from '../../../src/flows/warehouse/legacy-writes.ts';
import type { LegacyWrite, WarehouseRecord } from '../../../src/flows/warehouse/warehouse-ports.ts';
import { coilOf, taskOf } from '../../domain/warehouse/warehouse-samples.ts';
import { VirtualTime } from '../../simulation/legacy-system.ts';
import { APPLIED, at, OFFLINE, REJECTED, ScriptedAgent, UNCONFIRMED, UNREACHABLE } from '../lanes-under-test.ts';

const MOVE = { coilId: 'C-1', location: 'WH-A2', principal: 'erp', purpose: { type: 'move' } } as const;
const INTENT = 'legacyWrite';
const MOVED = 'coilLocation legacyWriteSettled';
const SETTLED = 'legacyWriteSettled';

function bench(agent: ScriptedAgent) {
  const time = new VirtualTime();
  const commits: string[] = [];
  const applied: string[] = [];
  const waits: number[] = [];
  let ids = 0;
  /** The commit that the disk does not take at present. */
  const disk: { refuses: string | null } = { refuses: null };
  const writes = new LegacyWrites({
    agent,
    store: {
      coil: async (coilId) => (coilId === 'C-9' ? null : coilOf(coilId)),
      write: async (records: readonly WarehouseRecord[]) => {
        const commit = records.map(({ kind }) => kind).join(' ');
        if (commit === disk.refuses) throw new CodedError('store-unavailable', 'the disk takes nothing at the moment');
        commits.push(commit);
      },
    },
    clock: { now: () => ({ monotonicMs: time.nowMs, wallMs: 1_000 + time.nowMs }) },
    newId: () => `op-${++ids}`,
    random: () => 0.5,
    after: (delayMs, act) => {
      waits.push(delayMs);
      return time.after(delayMs, act);
    },
    incidents: { report: () => undefined },
    onSettled: ({ operationId }, { kind }) => {
      if (kind === 'applied') applied.push(operationId);
    },
    onLate: () => undefined,
  });
  return { writes, time, commits, applied, waits, disk };
}

const DOUBT = {
  code: 'outcome-unknown',
  message: 'AgentNotAvailable',
  faults: [{ sentence: 'AgentNotAvailable' }, { path: 'coilId' }],
};

describe('a write', () => {
  it('UP-04 rejected by a server with several sentences and a code: both are passed on', async () => {
    const sentences = ['coil is locked', 'rack is full'];
    const { writes } = bench(new ScriptedAgent({ ...REJECTED, sentences, code: 'not-found' }));
    await expect(writes.write(MOVE)).rejects.toMatchObject({
      code: 'not-found',
      faults: sentences.map((sentence) => ({ sentence })),
    });
  });

  it('D-16 unconfirmed: settles by itself, after 1, 2, 4 … 30 s less a quarter, and stops when it is settled', async () => {
    const agent = new ScriptedAgent(UNCONFIRMED, UNREACHABLE);
    const { writes, time, waits, commits } = bench(agent);
    await expect(writes.write(MOVE)).rejects.toMatchObject(DOUBT);
    agent.say(...Array.from({ length: 6 }, () => UNREACHABLE), at('WH-A1'), APPLIED);
    await time.run(600_000);
    expect(waits).toEqual([750, 1_500, 3_000, 6_000, 12_000, 22_500, 22_500]);
    expect(commits).toEqual([INTENT, MOVED]);
    expect(agent.asked.at(-1)).toBe('move C-1 to WH-A2 as op-1');
  });

  it.each([
    ['applied', APPLIED, MOVED, 'by itself'],
    ['rejected', REJECTED, SETTLED, 'by itself'],
    ['not sent', OFFLINE, SETTLED, 'by itself'],
    ['applied', APPLIED, MOVED, 'once there is room'],
  ] as const)(
    'D-16 %s, but the disk refuses the outcome: unconfirmed until it is stored, %4$s, and the agent is not asked again',
    async (_, outcome, last, how) => {
      const agent = new ScriptedAgent(outcome);
      const { writes, time, commits, disk } = bench(agent);
      disk.refuses = last;
      await expect(writes.write(MOVE)).rejects.toMatchObject(DOUBT);
      await expect(writes.write(MOVE)).rejects.toMatchObject(DOUBT);
      disk.refuses = null;
      if (how === 'once there is room') writes.recordNow();
      await time.run(how === 'once there is room' ? 0 : 3_000);
      expect(commits).toEqual([INTENT, last]);
      expect(agent.asked).toHaveLength(1);
    },
  );

  it('D-16 with an intent that the disk refuses is never sent', async () => {
    const agent = new ScriptedAgent(APPLIED);
    const { writes, disk } = bench(agent);
    disk.refuses = INTENT;
    await expect(writes.write(MOVE)).rejects.toMatchObject({ code: 'store-unavailable' });
    expect(agent.asked).toEqual([]);
    disk.refuses = null;
    await writes.write(MOVE);
    expect(agent.asked).toEqual(['move C-1 to WH-A2 as op-2']);
  });

  it('is refused like that of an unknown coil if its coil is gone when its turn comes', async () => {
    const { writes, commits } = bench(new ScriptedAgent());
    await expect(writes.write({ ...MOVE, coilId: 'C-9' })).rejects.toMatchObject({ message: 'No coil with id C-9' });
    expect(commits).toEqual([]);
  });
});

describe('after a restart', () => {
  const LEFT_OPEN: LegacyWrite = {
    operationId: 'op-0',
    coilId: 'C-1',
    location: 'WH-A2',
    previousLocation: 'WH-A1',
    startedAt: 0,
    principal: 'erp',
    purpose: {
      ...{ type: 'complete', taskId: 'T-1', operatorBefore: null },
      progress: { ...progressOf(taskOf()), taskState: 'Complete' },
    },
  };

  it('D-16 an open write is settled before the coil’s next write, together with its task’s progress', async () => {
    const agent = new ScriptedAgent(at('WH-A2'), APPLIED);
    const { writes, commits, applied } = bench(agent);
    writes.restore([LEFT_OPEN]);
    await writes.write({ ...MOVE, location: 'RF-01' });
    expect(agent.asked).toEqual(['locate C-1', 'move C-1 to RF-01 as op-1']);
    expect(commits).toEqual(['taskProgress coilLocation legacyWriteSettled', INTENT, MOVED]);
    expect(applied).toEqual(['op-0', 'op-1']);
  });

  it('D-16 its task waits too, and no other task does', async () => {
    const agent = new ScriptedAgent(UNREACHABLE);
    const { writes } = bench(agent);
    writes.restore([LEFT_OPEN]);
    await writes.requireSettledTask('T-2');
    await expect(writes.requireSettledTask('T-1')).rejects.toMatchObject(DOUBT);
    agent.say(at('WH-A1'), REJECTED, at('WH-A1'));
    await writes.requireSettledTask('T-1');
    await writes.requireSettledTask('T-1');
    expect(agent.asked).toHaveLength(4);
  });

  it('after a stop no request is sent, and open writes are left to the next start', async () => {
    const agent = new ScriptedAgent(UNREACHABLE);
    const { writes, time, commits } = bench(agent);
    writes.restore([LEFT_OPEN]);
    await time.run(0);
    writes.stop();
    await time.run(600_000);
    expect(agent.asked).toEqual(['locate C-1']);
    expect(commits).toEqual([]);
  });
});
