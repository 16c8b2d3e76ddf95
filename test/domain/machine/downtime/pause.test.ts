import { describe, expect, it } from 'vitest';
import { HOUR_MS, MachineUnderTest, type StatusOverrides } from '../machine-under-test.ts';

const BEFORE = { mSecSinceBoot: 60_000, cycle: 10, goodPart: 8, badPart: 2, jobNumber: 'J-1' };
const AWAY_MS = 2 * HOUR_MS;

/** Heard once before the gateway was away. */
function awayFor(milliseconds: number, said: StatusOverrides = BEFORE): MachineUnderTest {
  return new MachineUnderTest().status(said).wait(500).restart(milliseconds);
}

describe('the gateway was away', () => {
  it('D-27 DEV-07 the first status records the caught-up production: since when, up to which reading, in which shift and session', () => {
    const machine = awayFor(AWAY_MS);
    const since = machine.wallMs - AWAY_MS - 500;
    machine.wait(700).status({ ...BEFORE, mSecSinceBoot: 90_000, cycle: 50, goodPart: 45, badPart: 5 });
    expect(machine.last('caughtUp')).toEqual([
      {
        type: 'caughtUp',
        catchUp: {
          since,
          at: machine.wallMs,
          reading: { at: machine.wallMs, mSecSinceBoot: 90_000, cycle: 50, goodPart: 45, badPart: 5 },
          shift: expect.objectContaining({
            machineId: 'RF-01',
            totals: expect.objectContaining({ cycles: 40, goodParts: 37, badParts: 3 }),
          }),
          session: expect.objectContaining({ jobNumber: 'J-1', cycles: 40, goodParts: 37, badParts: 3 }),
        },
      },
    ]);
    expect(
      machine
        .wait(500)
        .status({ ...BEFORE, mSecSinceBoot: 90_500, cycle: 51 })
        .last('caughtUp'),
    ).toEqual([]);
  });

  it('D-27 a status that was delivered before records nothing; the next one does', () => {
    const machine = awayFor(AWAY_MS).wait(500).status(BEFORE);
    expect(machine.last('caughtUp')).toEqual([]);
    machine.status({ ...BEFORE, mSecSinceBoot: 61_000 });
    expect(machine.last('caughtUp')).toHaveLength(1);
  });

  it('D-27 a machine that was never heard before records its first reading', () => {
    const machine = new MachineUnderTest().status({ cycle: 7 });
    expect(machine.last('caughtUp')).toMatchObject([
      { catchUp: { since: null, reading: { cycle: 7 }, session: null } },
    ]);
  });

  it('D-27 MQTT-04 field by field: recorded once all known fields were heard', () => {
    const machine = new MachineUnderTest().field('mSecSinceBoot', '1000').field('cycle', '10').field('goodPart', '8');
    machine.restart(AWAY_MS);
    expect(machine.field('cycle', '50').field('running', 'true').last('caughtUp')).toEqual([]);
    expect(machine.field('goodPart', '45').last('caughtUp')).toEqual([]);
    machine.field('mSecSinceBoot', '90000');
    expect(machine.last('caughtUp')).toMatchObject([
      {
        catchUp: {
          reading: { mSecSinceBoot: 90_000, cycle: 50, goodPart: 45, badPart: null },
          shift: { totals: { cycles: 40, goodParts: 37 } },
        },
      },
    ]);
  });

  it('D-27 D-02 field by field: a counter that fell waits for the uptime that explains it', () => {
    const machine = new MachineUnderTest().field('mSecSinceBoot', '60000').field('cycle', '10').restart(AWAY_MS);
    expect(machine.field('cycle', '4').last('caughtUp')).toEqual([]);
    machine.field('mSecSinceBoot', '5000');
    expect(machine.last('caughtUp')).toMatchObject([{ catchUp: { shift: { totals: { cycles: 4 } } } }]);
  });

  it('D-27 field by field: production caught up across the end of a shift is not recorded, because it lies in two', () => {
    const machine = new MachineUnderTest().field('mSecSinceBoot', '1000').field('cycle', '10').restart(AWAY_MS);
    machine
      .field('cycle', '50')
      .wait(12 * HOUR_MS)
      .clock()
      .field('mSecSinceBoot', '90000');
    expect(machine.ever('caughtUp')).toEqual([]);
  });

  it('D-27 a machine that is silent until the next shift records the caught-up production in that one', () => {
    const machine = awayFor(AWAY_MS)
      .wait(12 * HOUR_MS)
      .clock()
      .status({ ...BEFORE, mSecSinceBoot: 90_000, cycle: 50 });
    expect(machine.last('caughtUp')).toMatchObject([
      { catchUp: { shift: { shiftName: 'S1', totals: { cycles: 40 } } } },
    ]);
  });
});
