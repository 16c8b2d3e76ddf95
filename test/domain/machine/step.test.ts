import { describe, expect, it } from 'vitest';
import { currentShift, openSession } from '../../../src/domain/machine/machine-state.ts';
import { nextDueAt } from '../../../src/domain/machine/step.ts';
import { HOUR_MS, MachineUnderTest, MORNING } from './machine-under-test.ts';

const RUN = { mSecSinceBoot: 2000 };

describe('rule 3', () => {
  it('DEV-08 a machine that was never heard counts as without power, and never falls due', () => {
    const machine = new MachineUnderTest();
    expect(machine.message).toBe('Machine power is off');
    expect(nextDueAt(machine.state, machine.context)).toBe(Infinity);
    machine.wait(HOUR_MS).clock();
    expect(machine.effects).toEqual([]);
    expect(machine.totals.offlineMs).toBe(0);
  });

  it('DEV-10 is broken at the tenth second without any new message', () => {
    const machine = new MachineUnderTest().status();
    expect(nextDueAt(machine.state, machine.context)).toBe(machine.monotonicMs + 10_000);
    machine.wait(9_999).clock();
    expect(machine.message).toBeNull();
    machine.wait(1).clock();
    expect(machine.message).toBe('Device not responding');
    expect(machine.effects.map((effect) => effect.type)).toEqual(expect.arrayContaining(['wentSilent', 'decision']));
    expect(nextDueAt(machine.state, machine.context)).toBe(Infinity);
    machine.wait(5_000).status({ mSecSinceBoot: 16_000 });
    expect(machine.effects.map((effect) => effect.type)).toEqual(expect.arrayContaining(['cameBack', 'decision']));
    expect(machine.message).toBeNull();
  });

  it('MQTT-05 DEV-10 is kept by single fields and by messages delivered again', () => {
    const machine = new MachineUnderTest().status().wait(9_000).field('cycle', '1').wait(9_000).status({}, true);
    machine.wait(9_999).clock();
    expect(machine.ever('wentSilent')).toEqual([]);
  });

  it('D-04 a gateway that was held up calls no machine silent if its message is read before the clock', () => {
    const machine = new MachineUnderTest().status().wait(60_000).status({ mSecSinceBoot: 61_000 });
    expect(machine.ever('wentSilent')).toEqual([]);
    expect(machine.ever('decision')).toHaveLength(1);
  });

  it.each([24 * HOUR_MS, -24 * HOUR_MS])(
    'D-04 a wall clock jump of %i ms changes no decision and adds no time',
    (jumpMs) => {
      const machine = new MachineUnderTest().status().wait(5_000);
      machine.wallMs += jumpMs;
      machine.clock().wait(4_999).clock();
      expect(machine.message).toBeNull();
      const shifts = new Map(machine.ever('shift').map(({ shift }) => [shift.shiftDate, shift.totals.runningMs]));
      shifts.set(machine.state.shift.period.shiftDate, machine.totals.runningMs);
      expect([...shifts.values()].reduce((sum, runningMs) => sum + runningMs, 0)).toBe(9_999);
    },
  );

  it('D-04 a correction of the wall clock also corrects the records that will be written again', () => {
    const machine = new MachineUnderTest().status({ userId: 'pat' }).wait(1_000);
    machine.wallMs += HOUR_MS;
    machine.input({ type: 'clockCorrected', deltaMs: 5, sinceAt: MORNING + 1 });
    expect(machine.state.span?.startedAt).toBe(MORNING);
    machine.input({ type: 'clockCorrected', deltaMs: HOUR_MS, sinceAt: MORNING });
    machine.wait(1_000).status({ ...RUN, running: false, userId: 'pat' });
    expect(machine.last('span')[0]?.span).toMatchObject({ startedAt: MORNING + HOUR_MS, endedAt: machine.wallMs });
    expect(machine.state.session?.startedAt).toBe(MORNING + HOUR_MS);
    expect(machine.state.selection?.selectedAt).toBe(MORNING + HOUR_MS);
  });
});

describe('time', () => {
  it('DEV-13 DEV-14 counts for the earlier state; fault and override time overlap', () => {
    const machine = new MachineUnderTest().status();
    machine.wait(4_000).status({ mSecSinceBoot: 5_000, running: false, fault: true, override: true });
    machine.wait(3_000).status({ mSecSinceBoot: 8_000 });
    machine.wait(2_000).clock();
    expect(machine.totals).toMatchObject({
      runningMs: 6_000,
      downMs: 3_000,
      stoppedMs: 0,
      faultMs: 3_000,
      overrideMs: 3_000,
    });
  });

  it('DEV-13 a fault asks for attention and leaves runEnabled alone', () => {
    const machine = new MachineUnderTest().status({ fault: true });
    expect(machine.state.decision).toEqual({ runEnabled: true, attentionNeeded: true, message: null });
  });

  it('DEV-14 an override changes nothing in the decision', () => {
    const machine = new MachineUnderTest().status({ override: true, machinePower: false });
    expect(machine.state.decision).toEqual({
      runEnabled: false,
      attentionNeeded: false,
      message: 'Machine power is off',
    });
  });

  it('DEV-10 counts the first ten seconds of a silence for the last state, and the rest as offline', () => {
    const machine = new MachineUnderTest().status({ fault: true }).wait(60_000).clock().wait(10_000).clock();
    expect(machine.totals).toMatchObject({ runningMs: 10_000, offlineMs: 60_000, faultMs: 10_000 });
    expect(machine.ever('span').map(({ span }) => [span.activity, span.startedAt - MORNING, span.endedAt])).toEqual([
      ['fault', 0, null],
      ['fault', 0, MORNING + 10_000],
      ['offline', 10_000, null],
    ]);
  });

  it('VAR-03 DEV-13 is split at the change of the shift, and the ended shift is recorded', () => {
    const machine = new MachineUnderTest({ timeoutMs: 24 * HOUR_MS }).status({ fault: true });
    machine.wait(10 * HOUR_MS).status({ mSecSinceBoot: 10 * HOUR_MS, goodPart: 8, fault: true });
    const [left] = machine.last('shift');
    expect(left?.shift).toMatchObject({ shiftDate: '2026-06-01', shiftName: 'S0' });
    expect(left?.shift.totals).toMatchObject({ runningMs: 8 * HOUR_MS, faultMs: 8 * HOUR_MS, goodParts: 0 });
    expect(machine.state.shift.period).toMatchObject({ shiftDate: '2026-06-01', shiftName: 'S1' });
    expect(machine.totals).toMatchObject({ runningMs: 2 * HOUR_MS, goodParts: 8 });
  });

  it('D-04 after a wall clock is put back, time counts in the shift that the clock left', () => {
    const machine = new MachineUnderTest().status().wait(1_000).clock();
    machine.wallMs += 12 * HOUR_MS;
    machine.wait(1_000).clock();
    machine.wallMs -= 12 * HOUR_MS;
    machine.wait(1_000).clock();
    expect(machine.state.shift.period.shiftName).toBe('S0');
    expect(machine.totals.runningMs).toBe(2_000);
  });

  it('D-04 a shift that is too old to be remembered is not counted again from zero', () => {
    const machine = new MachineUnderTest().status();
    for (let jump = 0; jump < 8; jump++) {
      machine.wallMs += 12 * HOUR_MS;
      machine.wait(1_000).clock();
    }
    machine.wallMs -= 30 * 24 * HOUR_MS;
    machine.wait(1_000).clock();
    expect(machine.last('shift')).toEqual([]);
    expect(machine.totals.runningMs).toBe(2_000);
  });

  it('D-03 VAR-03 production while the gateway was down counts in the shift of the first status', () => {
    const machine = new MachineUnderTest()
      .status()
      .restart(12 * HOUR_MS)
      .status({ ...RUN, goodPart: 7 });
    expect(machine.state.shift).toMatchObject({ period: { shiftName: 'S1' }, totals: { goodParts: 7 } });
    expect(machine.last('shift')).toMatchObject([{ shift: { shiftName: 'S0', totals: { goodParts: 0 } } }]);
  });

  it('DEV-10 leaves no empty span if a machine is heard in the very moment in which it falls silent', () => {
    const machine = new MachineUnderTest().status().wait(10_000).clock().status({ mSecSinceBoot: 11_000 });
    machine.wait(500).status({ mSecSinceBoot: 11_500, fault: true });
    const spans = new Map(machine.ever('span').map(({ span }) => [span.spanId, span]));
    expect([...spans.values()].map(({ activity, startedAt }) => [activity, startedAt - MORNING])).toEqual([
      ['running', 0],
      ['running', 10_000],
      ['fault', 10_500],
    ]);
  });

  it('DEV-13 is stored in whole milliseconds, for any precision of the monotonic clock', () => {
    const machine = new MachineUnderTest().status();
    machine.monotonicMs += 1_000.6;
    machine.wallMs += 1_000;
    machine.clock();
    expect(currentShift(machine.state).totals.runningMs).toBe(1_001);
    machine.status({ ...RUN, fault: true });
    expect(machine.ever('span').every(({ span }) => Number.isInteger(span.startedAt))).toBe(true);
  });

  it('DEV-12 a status or a clock reading without a change publishes nothing', () => {
    const machine = new MachineUnderTest().status().wait(500).status(RUN).wait(500).clock();
    expect(machine.effects).toEqual([]);
  });
});

describe('a restart of the gateway', () => {
  it('D-03 adds no stop, no downtime and no time, and loses no production', () => {
    const machine = new MachineUnderTest().status({ cycle: 10, userId: 'pat' }).wait(1_000).clock();
    machine.restart(HOUR_MS);
    expect(machine.last('span')).toMatchObject([{ span: { activity: 'running', endedAt: MORNING + 1_000 } }]);
    machine.wait(2_000).status({ cycle: 500, mSecSinceBoot: HOUR_MS, userId: 'pat' });
    machine.wait(1_000).clock();
    expect(machine.totals).toMatchObject({ cycles: 490, runningMs: 2_000, stoppedMs: 0, downMs: 0, offlineMs: 0 });
    expect(machine.ever('downtime')).toEqual([]);
    expect(machine.ever('workSession')).toHaveLength(1);
    expect(machine.last('span')).toEqual([]);
  });

  it('D-03 lets rule 3 wait for ten seconds from the start', () => {
    const machine = new MachineUnderTest().status().restart(HOUR_MS);
    expect(nextDueAt(machine.state, machine.context)).toBe(machine.monotonicMs + 10_000);
    machine.wait(9_999).clock();
    expect(machine.message).toBeNull();
    machine.wait(1).clock().wait(500).clock();
    expect(machine.message).toBe('Device not responding');
    expect(machine.totals).toMatchObject({ runningMs: 0, offlineMs: 500 });
  });

  it('D-03 a machine found stopped counts as stopped since it is heard first', () => {
    const machine = new MachineUnderTest()
      .status()
      .restart(HOUR_MS)
      .wait(1_000)
      .status({ ...RUN, running: false });
    expect(machine.last('downtime')).toMatchObject([{ downtime: { startedAt: machine.wallMs, endedAt: null } }]);
  });

  it('D-03 a stop pending at the restart is decided by the first status', () => {
    const stopped = () =>
      new MachineUnderTest({ minimumStopMs: 5_000 })
        .status()
        .wait(1_000)
        .status({ ...RUN, running: false })
        .restart(HOUR_MS);
    const runs = stopped().wait(8_000).status({ mSecSinceBoot: 3_000 }).wait(8_000).clock();
    expect(runs.ever('downtime')).toEqual([]);
    const stands = stopped().wait(8_000).status({ mSecSinceBoot: 3_000, running: false }).clock();
    expect(stands.ever('downtime')).toMatchObject([{ downtime: { startedAt: MORNING + 1_000 } }]);
  });
});

describe('parts', () => {
  const choose = (partId: string, at: number) =>
    ({ type: 'selectPart', partId, partName: null, at, by: 'person' }) as const;

  it('DEV-09 DEV-15 a status selects its part and keeps its name', () => {
    const machine = new MachineUnderTest().status({ partId: undefined });
    expect(machine.message).toBe('Part not selected');
    machine.wait(500).status({ ...RUN, partId: 'P-9', partName: 'Panel 9' });
    expect(machine.last('partSelected')).toMatchObject([
      { part: { partId: 'P-9', partName: 'Panel 9', selectedBy: 'device', selectedAt: machine.wallMs } },
    ]);
    expect(machine.last('partReported')).toMatchObject([{ partId: 'P-9', partName: 'Panel 9' }]);
    machine.wait(500).status({ mSecSinceBoot: 2500, partId: 'P-9' });
    expect(machine.effects).toEqual([]);
    machine.wait(500).status({ mSecSinceBoot: 3000, partId: undefined });
    expect(machine.state.selection?.partName).toBe('Panel 9');
  });

  it('D-09 the latest choice of page and device wins', () => {
    const machine = new MachineUnderTest().status({ partId: 'P-1' }).wait(1_000);
    machine.input(choose('P-2', machine.wallMs));
    expect(machine.state.selection).toMatchObject({ partId: 'P-2', selectedBy: 'person' });
    machine.wait(500).status({ ...RUN, partId: 'P-1' });
    expect(machine.state.selection?.partId).toBe('P-1');
    machine.input(choose('P-3', machine.wallMs - 1));
    expect(machine.state.selection?.partId).toBe('P-1');
  });

  it('D-09 a cleared part stays cleared against older choices and is selected again by newer ones', () => {
    const machine = new MachineUnderTest()
      .status()
      .wait(1_000)
      .input({ type: 'clearPart', at: MORNING + 1_000 });
    expect(machine.message).toBe('Part not selected');
    expect(machine.input(choose('P-2', MORNING + 999)).state.selection).toBeNull();
    expect(machine.input(choose('P-2', MORNING + 1_000)).state.selection?.partId).toBe('P-2');
  });

  it('D-04 D-09 a clock put back does not lock the selection', () => {
    const machine = new MachineUnderTest().status().wait(1_000);
    machine.wallMs -= 24 * HOUR_MS;
    machine.input(choose('P-2', machine.wallMs - 5));
    expect(machine.state.selection?.partId).toBe('P-2');
  });

  it('DEV-15 a part selected by fields takes the name that comes after it', () => {
    const machine = new MachineUnderTest().field('partId', 'P-5').field('partName', 'Panel 5');
    expect(machine.state.selection).toMatchObject({ partId: 'P-5', partName: 'Panel 5' });
    expect(machine.field('partId', '').state.selection?.partId).toBe('P-5');
  });

  it.each([
    ['behind the id, when they change', 1, ['partId', 'partName'], ['-', 'Panel']],
    ['behind the id, in rounds', 3, ['partId', 'partName'], ['-', 'Panel']],
    ['before the id, when they change', 1, ['partName', 'partId'], ['Panel']],
    ['before the id, in rounds', 3, ['partName', 'partId'], ['Panel']],
  ] as const)('DEV-15 D-09 parts by fields keep their own names, sent %s', (_, rounds, fields, names) => {
    const machine = new MachineUnderTest();
    for (const digit of [1, 2, 1, 3]) {
      const part = { partId: `P-${digit}`, partName: `Panel ${digit}` };
      for (let round = 0; round < rounds; round++) for (const field of fields) machine.field(field, part[field]);
      expect(machine.state.selection).toMatchObject({ ...part, selectedBy: 'device' });
      expect(machine.state.known).toMatchObject(part);
    }
    const reported = new Set(
      machine.ever('partReported').map(({ partId, partName }) => `${partId} ${partName ?? '-'}`),
    );
    const named = [1, 2, 3].flatMap((digit) =>
      names.map((name) => `P-${digit} ${name === '-' ? name : `${name} ${digit}`}`),
    );
    expect([...reported].sort()).toEqual(named.sort());
  });

  it('DEV-15 another name by a field counts once its id is repeated, also after a restart', () => {
    const machine = new MachineUnderTest().field('partId', 'P-1').field('partName', 'Panel 1');
    machine.field('partName', 'Ridge').restart(HOUR_MS);
    expect(machine.state.selection?.partName).toBe('Panel 1');
    machine.field('partId', 'P-1');
    expect(machine.state.selection).toMatchObject({ partId: 'P-1', partName: 'Ridge' });
    expect(machine.last('partReported')).toMatchObject([{ partId: 'P-1', partName: 'Ridge' }]);
    expect(machine.field('partName', '').state.selection?.partName).toBe('Ridge');
  });

  it('D-09 DEV-15 a name alone does not select a part over the choice of a person', () => {
    const machine = new MachineUnderTest().field('partId', 'P-1').wait(1_000);
    machine.input(choose('P-2', machine.wallMs)).wait(1_000).field('partName', 'Panel 1');
    expect(machine.state.selection).toMatchObject({ partId: 'P-2', partName: null, selectedBy: 'person' });
    expect(machine.last('partReported')).toMatchObject([{ partId: 'P-1', partName: 'Panel 1' }]);
    machine.wait(1_000).field('partName', 'Panel 1').field('partName', 'Panel 2');
    expect(machine.state.selection?.partId).toBe('P-2');
    expect(machine.field('partId', 'P-1').state.selection?.partId).toBe('P-1');
  });

  it('D-09 a selected part survives a restart', () => {
    const machine = new MachineUnderTest().status({ partId: undefined }).input(choose('P-2', MORNING)).restart(HOUR_MS);
    expect(machine.state.selection?.partId).toBe('P-2');
  });
});

describe('work sessions', () => {
  const work = { userId: 'pat', jobNumber: 'J-1' };

  it('DEV-16 D-10 open with a job or operator, sum the production and close when the key changes', () => {
    const machine = new MachineUnderTest()
      .status()
      .wait(500)
      .status({ ...RUN, ...work, goodPart: 5 });
    expect(machine.last('workSession')).toMatchObject([{ session: { ...work, partId: 'P-1', goodParts: 0 } }]);
    machine.wait(500).status({ ...work, mSecSinceBoot: 2500, goodPart: 8, cycle: 3 });
    expect(machine.last('workSession')).toEqual([]);
    machine.wait(500).status({ ...work, mSecSinceBoot: 3000, goodPart: 9, cycle: 4, userId: 'kim' });
    expect(machine.last('workSession')).toMatchObject([
      { session: { userId: 'pat', goodParts: 4, cycles: 4, endedAt: machine.wallMs } },
      { session: { userId: 'kim', goodParts: 0, endedAt: null } },
    ]);
    machine.wait(500).status({ mSecSinceBoot: 3500, goodPart: 9, cycle: 4 });
    expect(machine.last('workSession')).toMatchObject([{ session: { userId: 'kim', endedAt: machine.wallMs } }]);
    expect(machine.state.session).toBeNull();
  });

  it('D-10 close with a change of part, also from the page', () => {
    const machine = new MachineUnderTest().status(work).wait(500);
    machine.input({ type: 'selectPart', partId: 'P-2', partName: null, at: machine.wallMs, by: 'person' });
    expect(machine.last('workSession').map(({ session }) => session.partId)).toEqual(['P-1', 'P-2']);
  });

  it('D-10 go on through stops and reboots', () => {
    const machine = new MachineUnderTest().status({ ...work, goodPart: 5, mSecSinceBoot: 9_000 });
    machine.wait(500).status({ ...work, running: false, goodPart: 6, mSecSinceBoot: 9_500 });
    machine.wait(9_000).status({ ...work, goodPart: 2, mSecSinceBoot: 300 });
    expect(machine.ever('workSession')).toHaveLength(1);
    expect(machine.state.session?.goodParts).toBe(3);
  });

  it('D-10 close after thirty idle minutes, and a new one starts with the machine', () => {
    const machine = new MachineUnderTest().status({ ...work, running: false });
    let uptime = 1000;
    const keepAlive = (running: boolean) => {
      uptime += 5_000;
      machine.wait(5_000).status({ ...work, running, mSecSinceBoot: uptime });
    };
    for (let count = 0; count < 359; count++) keepAlive(false);
    expect(machine.ever('workSession')).toHaveLength(1);
    expect(nextDueAt(machine.state, machine.context)).toBe(machine.monotonicMs + 5_000);
    keepAlive(false);
    expect(machine.last('workSession')).toMatchObject([{ session: { endedAt: MORNING + HOUR_MS / 2 } }]);
    for (let count = 0; count < 10; count++) keepAlive(false);
    expect(machine.ever('workSession')).toHaveLength(2);
    keepAlive(true);
    expect(machine.last('workSession')).toMatchObject([{ session: { ...work, startedAt: machine.wallMs } }]);
  });

  it('D-10 start again with parts made after the last one had closed', () => {
    const machine = new MachineUnderTest({ timeoutMs: HOUR_MS })
      .status({ ...work, running: false })
      .wait(HOUR_MS / 2 + 1);
    machine.status({ ...work, running: false, goodPart: 2, mSecSinceBoot: HOUR_MS / 2 });
    expect(machine.last('workSession').map(({ session }) => session.endedAt)).toEqual([MORNING + HOUR_MS / 2, null]);
    expect(machine.state.session?.goodParts).toBe(2);
  });

  it('D-03 D-10 are not opened again by a restart alone after they idled out in silence', () => {
    const machine = new MachineUnderTest().status(work).wait(HOUR_MS).clock().restart(1_000).wait(1_000).clock();
    expect(machine.last('workSession')).toEqual([]);
    machine.status({ ...work, ...RUN });
    expect(machine.last('workSession')).toMatchObject([{ session: { ...work, endedAt: null } }]);
  });

  it('D-10 stay open while the machine runs, with or without new parts', () => {
    const machine = new MachineUnderTest().status(work);
    for (let count = 0; count < 400; count++)
      machine.wait(5_000).status({ ...work, mSecSinceBoot: 6_000 + count * 5_000 });
    expect(machine.ever('workSession')).toHaveLength(1);
    expect(openSession(machine.state)?.lastActiveAt).toBe(machine.wallMs);
  });
});
