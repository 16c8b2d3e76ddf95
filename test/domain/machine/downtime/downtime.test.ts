import { describe, expect, it } from 'vitest';
import { MAX_UNCATEGORIZED, SETUP_JOIN_MS } from '../../../../src/domain/machine/downtime/downtime.ts';
import {
  categorizeDowntimes,
  mergeDowntimes,
  splitDowntime,
} from '../../../../src/domain/machine/downtime/downtime-edits.ts';
import { openDowntime } from '../../../../src/domain/machine/machine-state.ts';
import type { Downtime } from '../../../../src/domain/machine/records.ts';
import { nextDueAt } from '../../../../src/domain/machine/step.ts';
import { idOf, MachineUnderTest, MORNING, RF_01 } from '../machine-under-test.ts';

const REQUIRED = 'Downtime categorization required';

/** A machine whose statuses follow each other: each says whether it runs, after a while. */
class StoppingMachine extends MachineUnderTest {
  uptimeMs = 1000;

  after(durationMs: number, running: boolean): this {
    this.uptimeMs += durationMs;
    return this.wait(durationMs).status({ running, mSecSinceBoot: this.uptimeMs });
  }

  latest(): Downtime {
    if (this.state.downtime === null) throw new Error('no downtime');
    return this.state.downtime;
  }

  categorize(downtime: Downtime, reasonId: string): this {
    return this.input({ type: 'downtimesChanged', downtimes: [{ ...downtime, reasonId }], removedIds: [] });
  }
}

function stopped(minimumStopMs = 0) {
  return new StoppingMachine({ minimumStopMs }).status().after(1_000, false);
}

describe('a stop', () => {
  it('DEV-11 D-07 opens a downtime that wants a category', () => {
    const machine = stopped();
    expect(machine.last('downtime')).toMatchObject([
      { downtime: { machineId: RF_01, startedAt: MORNING + 1_000, endedAt: null, reasonId: null } },
    ]);
    expect(machine.message).toBe(REQUIRED);
  });

  it('DEV-11 a machine that never ran has not stopped', () => {
    const machine = new StoppingMachine().status({ running: false }).after(1_000, false);
    expect(machine.ever('downtime')).toEqual([]);
    expect(machine.message).toBeNull();
  });

  it('DEV-11 DEV-07 a reboot from running into standstill is a stop, a reboot into running is not', () => {
    const stands = new StoppingMachine()
      .status({ mSecSinceBoot: 90_000 })
      .wait(500)
      .status({ running: false, mSecSinceBoot: 1 });
    expect(openDowntime(stands.state)).not.toBeNull();
    const runs = new StoppingMachine().status({ mSecSinceBoot: 90_000 }).wait(500).status({ mSecSinceBoot: 1 });
    expect(openDowntime(runs.state)).toBeNull();
  });

  it('DEV-11 is also found with single fields', () => {
    const machine = new MachineUnderTest().field('running', '1').field('running', '0');
    expect(openDowntime(machine.state)).not.toBeNull();
    expect(openDowntime(machine.field('running', '1').state)).toBeNull();
  });

  it('DEV-11 DEV-07 is found when single fields show a reboot while running', () => {
    const machine = new MachineUnderTest().field('running', '1').field('msecsinceboot', '9000').wait(500);
    machine.field('msecsinceboot', '10');
    expect(machine.state.known.running).toBeNull();
    expect(openDowntime(machine.state)).not.toBeNull();
  });

  it('D-07 a stop shorter than the grace is no downtime; a longer one is, from its start, found by the clock alone', () => {
    const brief = stopped(5_000).after(4_999, true).wait(9_000).clock();
    expect(brief.ever('downtime')).toEqual([]);
    const long = stopped(5_000);
    expect(nextDueAt(long.state, long.context)).toBe(long.monotonicMs + 5_000);
    long.wait(5_000).clock();
    expect(long.last('downtime')).toMatchObject([{ downtime: { startedAt: MORNING + 1_000 } }]);
    expect(long.message).toBe(REQUIRED);
    long.wait(2_000).clock();
    expect(long.totals).toMatchObject({ runningMs: 1_000, stoppedMs: 5_000, downMs: 2_000 });
  });

  it('D-07 a stop longer than the grace counts even if the clock was not read before the machine ran on', () => {
    const machine = stopped(5_000).after(7_000, true);
    expect(machine.last('downtime')).toMatchObject([
      { downtime: { endedAt: null } },
      { downtime: { startedAt: MORNING + 1_000, endedAt: machine.wallMs } },
    ]);
  });

  it('D-07 waits for its category when the machine runs on', () => {
    const machine = stopped().after(1_000, true);
    expect(machine.latest().endedAt).toBe(machine.wallMs);
    expect(machine.message).toBe(REQUIRED);
    machine.after(1_000, false);
    const [first, second] = machine.state.uncategorized;
    expect(first).not.toBe(second);
    machine.categorize(machine.latest(), 'DT-1');
    expect(machine.message).toBe(REQUIRED);
    const opened = machine.ever('downtime')[1]?.downtime;
    if (opened !== undefined) machine.categorize(opened, 'DT-1');
    expect(machine.message).toBeNull();
    expect(machine.last('decision')).toHaveLength(1);
  });

  it('D-07 is categorized while it lasts, and keeps the category when it ends', () => {
    const machine = stopped();
    machine.categorize(machine.latest(), 'DT-1');
    expect(machine.message).toBeNull();
    machine.after(1_000, true);
    expect(machine.last('downtime')).toMatchObject([{ downtime: { reasonId: 'DT-1', endedAt: machine.wallMs } }]);
  });

  it('D-07 that ended while its category was being stored is written again with its end and its category', () => {
    const machine = stopped();
    const stored = machine.latest();
    machine.after(1_000, true).wait(300).categorize(stored, 'DT-1');
    expect(machine.last('downtime')).toMatchObject([{ downtime: { reasonId: 'DT-1', endedAt: MORNING + 2_000 } }]);
  });

  it.each([
    ['soon after a set-up continues it', 'SETUP', SETUP_JOIN_MS, 1],
    ['long after a set-up is another', 'SETUP', SETUP_JOIN_MS + 1, 2],
    ['after another kind of downtime is another', 'DT-1', 1_000, 2],
  ])('D-07 a stop %s', (_, reasonId, ranForMs, downtimes) => {
    const machine = new StoppingMachine({ timeoutMs: SETUP_JOIN_MS * 2 }).status().after(1_000, false);
    machine.categorize(machine.latest(), reasonId).after(1_000, true).after(ranForMs, false);
    expect(new Set(machine.ever('downtime').map(({ downtime }) => downtime.downtimeId)).size).toBe(downtimes);
    expect(openDowntime(machine.state)?.startedAt).toBe(downtimes === 1 ? MORNING + 1_000 : machine.wallMs);
    expect(machine.message).toBe(downtimes === 1 ? null : REQUIRED);
  });

  it('D-07 is one of a bounded number that wait for a category', () => {
    const machine = new StoppingMachine().status();
    for (let count = 0; count < MAX_UNCATEGORIZED + 20; count++) machine.after(100, false).after(100, true);
    expect(machine.state.uncategorized).toHaveLength(MAX_UNCATEGORIZED);
    expect(machine.latest().endedAt).toBe(machine.wallMs);
    expect(machine.restart(1_000).state.uncategorized).toHaveLength(MAX_UNCATEGORIZED);
  });

  it('D-03 is taken up from the store when the memory of the machine was lost', () => {
    const stored = stopped().latest();
    const machine = new StoppingMachine().input({ type: 'downtimesChanged', downtimes: [stored], removedIds: [] });
    expect(openDowntime(machine.state)).toEqual(stored);
    machine.wait(2_000).status();
    expect(machine.last('downtime')).toMatchObject([
      { downtime: { downtimeId: stored.downtimeId, endedAt: machine.wallMs } },
    ]);
    expect(machine.message).toBe(REQUIRED);
  });
});

describe('downtimes taken up from the store', () => {
  const setUp = { ...stopped().latest(), downtimeId: 'OLD', startedAt: MORNING - 90_000, reasonId: 'SETUP' };

  it('D-07 are the pending stop if they still last', () => {
    const machine = stopped(5_000);
    machine.input({ type: 'downtimesChanged', downtimes: [{ ...setUp, endedAt: null }], removedIds: [] });
    machine.wait(5_000).clock();
    expect(new Set(machine.ever('downtime').map(({ downtime }) => downtime.downtimeId))).toEqual(new Set(['OLD']));
  });

  it.each([
    [60_000, 'OLD'],
    [SETUP_JOIN_MS, 'id-2'],
  ])('D-07 a set-up that ended %i ms ago is continued by %s', (agoMs, downtimeId) => {
    const downtime = { ...setUp, startedAt: MORNING - 2 * SETUP_JOIN_MS, endedAt: MORNING - agoMs };
    const machine = new StoppingMachine().input({ type: 'downtimesChanged', downtimes: [downtime], removedIds: [] });
    machine.status().after(1_000, false);
    expect(machine.latest().downtimeId).toBe(downtimeId);
  });

  it('D-07 are forgotten if they were removed or belong to other machines', () => {
    const machine = stopped();
    const foreign = { ...setUp, machineId: idOf('RF-02'), reasonId: null };
    machine.input({ type: 'downtimesChanged', downtimes: [foreign], removedIds: [machine.latest().downtimeId] });
    expect(machine.state).toMatchObject({ downtime: null, uncategorized: [] });
    expect(machine.message).toBeNull();
  });
});

describe('a person who edits downtimes', () => {
  const reasons = new Set(['DT-1', 'DT-2']);
  const category = { reasonId: 'DT-1', note: null, userName: 'pat' };

  function downtime(
    downtimeId: string,
    startedAt: number,
    endedAt: number | null,
    reasonId: string | null = null,
  ): Downtime {
    return { downtimeId, machineId: RF_01, startedAt, endedAt, reasonId, note: null, userName: null };
  }

  it('D-07 categorizes several at once', () => {
    const edit = categorizeDowntimes([downtime('A', 0, 1), downtime('B', 2, null, 'DT-2')], category, reasons);
    expect(edit).toMatchObject({
      ok: true,
      downtimes: [
        { ...category, endedAt: 1 },
        { ...category, endedAt: null },
      ],
    });
  });

  it.each([
    ['reasonId', [downtime('A', 0, 1)], { ...category, reasonId: 'DT-9' }],
    ['note', [downtime('A', 0, 1)], { ...category, note: 'x'.repeat(1001) }],
    ['downtimes', [], category],
    ['downtimes', Array.from({ length: 201 }, (_, index) => downtime(`${index}`, 0, 1)), category],
  ])('D-07 refuses to categorize with a bad %s', (path, downtimes, given) => {
    expect(categorizeDowntimes(downtimes, given, reasons)).toMatchObject({ ok: false, faults: [{ path }] });
  });

  it.each([
    ['with its end', {}],
    ['without its end', { endedAt: null }],
  ])(
    'D-04 D-07 categorizes the lasting downtime, even if a clock set back lets it begin before the ended one, given %s',
    (_, given) => {
      const machine = stopped().after(1_000, true);
      const over = machine.latest();
      machine.wallMs -= 10_000;
      const lasting = machine.after(1_000, false).latest();
      expect(lasting.startedAt).toBeLessThan(over.startedAt);
      const downtimes = [{ ...over, ...given }, lasting].map((each) => ({ ...each, reasonId: 'DT-1' }));
      machine.input({ type: 'downtimesChanged', downtimes, removedIds: [] });
      expect(openDowntime(machine.state)?.downtimeId).toBe(lasting.downtimeId);
      expect(machine.after(1_000, true).last('downtime')).toMatchObject([
        { downtime: { downtimeId: lasting.downtimeId, reasonId: 'DT-1', endedAt: machine.wallMs } },
      ]);
    },
  );

  it('D-07 splits a lasting downtime; the machine ends the later part', () => {
    const machine = stopped();
    machine.wait(5_000).clock();
    const edit = splitDowntime(machine.latest(), MORNING + 3_000, 'NEW', machine.wallMs);
    if (!edit.ok) throw new Error('refused');
    machine.input({ type: 'downtimesChanged', ...edit });
    expect(machine.state.uncategorized).toHaveLength(2);
    machine.after(1_000, true);
    expect(machine.last('downtime')).toMatchObject([
      { downtime: { startedAt: MORNING + 3_000, endedAt: machine.wallMs } },
    ]);
    expect(edit.downtimes[0]).toMatchObject({
      downtimeId: 'NEW',
      startedAt: MORNING + 1_000,
      endedAt: MORNING + 3_000,
    });
  });

  it.each([0, 10, 11, -5, Number.NaN, 5.5])('D-07 refuses to split a downtime from 0 to 10 at %d', (at) => {
    expect(splitDowntime(downtime('A', 0, 10), at, 'NEW', 99)).toMatchObject({ ok: false, faults: [{ path: 'at' }] });
  });

  it('D-07 merges downtimes into the last one, which may still last', () => {
    const edit = mergeDowntimes([downtime('B', 20, null), downtime('A', 0, 10, 'DT-1')], [downtime('0', -9, -8)]);
    expect(edit).toEqual({ ok: true, downtimes: [downtime('B', 0, null, 'DT-1')], removedIds: ['A'] });
    const machine = stopped().after(1_000, true).after(1_000, false);
    const [first] = machine.ever('downtime').filter((effect) => effect.downtime.endedAt !== null);
    const merged = mergeDowntimes(first === undefined ? [] : [first.downtime, machine.latest()], []);
    if (!merged.ok) throw new Error('refused');
    machine.input({ type: 'downtimesChanged', ...merged });
    expect(machine.state.uncategorized).toEqual([machine.latest().downtimeId]);
    expect(openDowntime(machine.state)?.startedAt).toBe(MORNING + 1_000);
  });

  it.each([
    ['one alone', [downtime('A', 0, 1)]],
    ['the same twice', [downtime('A', 0, 1), downtime('A', 0, 1)]],
    ['two machines', [downtime('A', 0, 1), { ...downtime('B', 2, 3), machineId: idOf('RF-02') }]],
    ['two categories', [downtime('A', 0, 1, 'DT-1'), downtime('B', 2, 3, 'DT-2')]],
  ])('D-07 refuses to merge %s', (_, downtimes) => {
    expect(mergeDowntimes(downtimes, [])).toMatchObject({ ok: false, faults: [{ path: 'downtimes' }] });
  });

  it('D-07 refuses to merge over a downtime in between, and merges all three', () => {
    const [first, middle, last] = [downtime('A', 0, 1), downtime('B', 2, 3), downtime('C', 4, null)];
    const others = [middle, first, downtime('0', -2, -1)];
    const expected = 'neighbours: between them there is B as well';
    expect(mergeDowntimes([last, first], others)).toEqual({
      ok: false,
      faults: [{ path: 'downtimes', found: 'A, C', expected }],
    });
    expect(mergeDowntimes([last, first, middle], others)).toMatchObject({ ok: true, removedIds: ['A', 'B'] });
  });
});
