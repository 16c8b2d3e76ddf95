import { describe, expect, it } from 'vitest';
import { HOUR_MS, MachineUnderTest, MORNING, RF_01 } from './machine-under-test.ts';

const RUN = { mSecSinceBoot: 2000 };

describe('a correction of the clock', () => {
  it.each([
    ['in 1970', 20_000 - MORNING],
    ['a day behind', -24 * HOUR_MS],
    ['a day ahead', 24 * HOUR_MS],
  ])('D-04 a correction of a clock that was %s leaves the times of earlier boots', (_, wrongMs) => {
    const machine = new MachineUnderTest().status().wait(5_000);
    machine.wallMs += wrongMs;
    const bootedAt = machine.wallMs - 1_000;
    machine.status({ ...RUN, running: false }).wait(1_000);
    machine.wallMs -= wrongMs;
    machine.input({ type: 'clockCorrected', deltaMs: -wrongMs, sinceAt: bootedAt });
    expect(machine.state.selection?.selectedAt).toBe(MORNING);
    expect(machine.state.downtime?.startedAt).toBe(MORNING + 5_000);
  });
});

describe('a recount after a correction of the clock', () => {
  const wrongMs = 24 * HOUR_MS;
  const stored = (goodParts: number, shiftDate = '2026-06-01') => {
    const times = { runningMs: 0, stoppedMs: 0, downMs: 0, faultMs: 0, overrideMs: 0, offlineMs: 0 };
    const totals = { goodParts, badParts: 0, cycles: goodParts, ...times };
    return { machineId: RF_01, shiftDate, shiftName: 'S0', totals };
  };
  const corrected = () => {
    const machine = new MachineUnderTest().status();
    machine.wallMs += wrongMs;
    machine.wait(1_000).status({ ...RUN, goodPart: 5 });
    machine.wallMs -= wrongMs;
    return machine.input({ type: 'clockCorrected', deltaMs: -wrongMs, sinceAt: MORNING + wrongMs });
  };

  it('D-04 counts from zero and reports no shift until the stored totals are there', () => {
    const machine = corrected()
      .wait(1_000)
      .status({ ...RUN, mSecSinceBoot: 3_000, goodPart: 7 });
    expect(machine.state.shift).toMatchObject({ period: { shiftDate: '2026-06-01' }, totals: { goodParts: 2 } });
    expect(
      machine
        .wait(9 * HOUR_MS)
        .clock()
        .last('shift'),
    ).toEqual([]);
    machine.input({ type: 'shiftsRecounted', recount: 1, shifts: [stored(5)] });
    expect(machine.last('shift').map(({ shift }) => [shift.shiftName, shift.totals.goodParts])).toEqual([
      ['S1', 0],
      ['S0', 7],
    ]);
  });

  it('D-04 takes no totals that were asked for before another correction', () => {
    const machine = corrected().input({ type: 'clockCorrected', deltaMs: HOUR_MS, sinceAt: MORNING });
    machine.input({ type: 'shiftsRecounted', recount: 1, shifts: [stored(500)] });
    expect(machine.totals.goodParts).toBe(0);
    machine.input({ type: 'shiftsRecounted', recount: 2, shifts: [stored(5)] });
    expect(machine.totals.goodParts).toBe(5);
  });

  it('D-04 D-03 goes on after a restart of the gateway', () => {
    const machine = corrected().restart(1_000);
    expect(machine.state.recount).toBe(1);
    machine.input({ type: 'shiftsRecounted', recount: 1, shifts: [stored(5)] });
    expect(machine.totals.goodParts).toBe(5);
  });

  it('D-04 does not begin with a correction of less than a minute', () => {
    const machine = new MachineUnderTest()
      .status()
      .wait(1_000)
      .status({ ...RUN, goodPart: 5 });
    machine.wallMs += 59_000;
    machine.input({ type: 'clockCorrected', deltaMs: 59_000, sinceAt: MORNING });
    expect(machine.state).toMatchObject({ recount: null, shift: { totals: { goodParts: 5 } } });
  });
});
