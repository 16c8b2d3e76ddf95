import { describe, expect, it } from 'vitest';
import { MachineUnderTest, statusOf } from '../machine-under-test.ts';

const MINUTE_MS = 60_000;

function counters(cycle: number, goodPart: number, badPart: number) {
  return { cycle, goodPart, badPart };
}

function madeBy(machine: MachineUnderTest) {
  const { cycles, goodParts, badParts } = machine.totals;
  return [cycles, goodParts, badParts];
}

describe('counters of full statuses', () => {
  it('DEV-06 count nothing for the first status and the difference from then on', () => {
    const machine = new MachineUnderTest().status(counters(100, 90, 10));
    expect(madeBy(machine)).toEqual([0, 0, 0]);
    machine.wait(500).status({ ...counters(103, 92, 11), mSecSinceBoot: 1500 });
    expect(madeBy(machine)).toEqual([3, 2, 1]);
  });

  it.each([
    ['counts from zero when counters fell', counters(3, 2, 1), [3, 2, 1]],
    ['counts all from zero when one counter fell', counters(120, 2, 11), [120, 2, 11]],
    ['counts on when no counter fell', counters(104, 92, 10), [4, 2, 0]],
    ['counts nothing when nothing was made', counters(0, 0, 0), [0, 0, 0]],
  ])('DEV-07 D-02 after a reboot %s', (_, after, made) => {
    const machine = new MachineUnderTest().status({ ...counters(100, 90, 10), mSecSinceBoot: 90_000 });
    machine.wait(500).status({ ...after, mSecSinceBoot: 800 });
    expect(madeBy(machine)).toEqual(made);
    expect(machine.last('reboot')).toMatchObject([{ boots: 2 }]);
    expect(machine.ever('anomaly')).toEqual([]);
  });

  it.each([
    [2 ** 31 - 400, 100],
    [2 ** 32 - 1, 0],
    [2 ** 32 - MINUTE_MS, MINUTE_MS - 1],
  ])('D-02 show a wrap when mSecSinceBoot goes from %i to %i and the counters went on', (before, after) => {
    const machine = new MachineUnderTest().status({ ...counters(5, 5, 5), mSecSinceBoot: before });
    machine.wait(500).status({ ...counters(6, 6, 5), mSecSinceBoot: after });
    expect(madeBy(machine)).toEqual([1, 1, 0]);
    expect(machine.ever('reboot')).toEqual([]);
  });

  it.each([
    [2 ** 31 - 400, 100, counters(6, 6, 4)],
    [2 ** 31 - MINUTE_MS - 1, 100, counters(6, 6, 5)],
    [2 ** 31 - 400, MINUTE_MS, counters(6, 6, 5)],
    [2 ** 31 + 1, 100, counters(6, 6, 5)],
  ])('D-02 show a reboot when mSecSinceBoot goes from %i to %i with %o', (before, after, reading) => {
    const machine = new MachineUnderTest().status({ ...counters(5, 5, 5), mSecSinceBoot: before });
    machine.wait(500).status({ ...reading, mSecSinceBoot: after });
    expect(machine.last('reboot')).toHaveLength(1);
  });

  it.each([
    ['16 bits', 2 ** 16 - 1, 0, 1],
    ['16 bits', 2 ** 16 - 3, 4, 7],
    ['31 bits', 2 ** 31 - 1, 1, 2],
    ['32 bits', 2 ** 32 - 1, 0, 1],
  ])('D-02 of %s that overflow from %i to %i count on, while the others go on', (_, before, after, made) => {
    const machine = new MachineUnderTest().status(counters(100, before, 10));
    machine.wait(500).status({ ...counters(101, after, 10), mSecSinceBoot: 1500 });
    expect(madeBy(machine)).toEqual([1, made, 0]);
    expect(machine.ever('anomaly')).toEqual([]);
    const fields = new MachineUnderTest().field('goodPart', String(before));
    expect(madeBy(fields.wait(500).field('goodPart', String(after)))).toEqual([0, made, 0]);
  });

  it.each([
    ['another counter falls too', counters(99, 2, 10)],
    ['it is not near to 0 afterwards', counters(101, 1_000, 10)],
  ])('D-02 that fall from 65,535 have not overflowed if %s', (_, after) => {
    const machine = new MachineUnderTest().status(counters(100, 65_535, 10));
    machine.wait(500).status({ ...after, mSecSinceBoot: 1500 });
    expect(machine.totals.goodParts).toBe(0);
    expect(machine.ever('anomaly').map(({ anomaly }) => anomaly.counter)).toContain('goodPart');
  });

  it('D-02 that fall without a reboot are recorded as a fall and count on from the new value', () => {
    const machine = new MachineUnderTest().status(counters(100, 90, 10));
    machine.wait(500).status({ ...counters(101, 80, 10), mSecSinceBoot: 1500 });
    expect(machine.last('anomaly')).toMatchObject([{ anomaly: { counter: 'goodPart', from: 90, to: 80 } }]);
    machine.wait(500).status({ ...counters(101, 82, 10), mSecSinceBoot: 2000 });
    expect(madeBy(machine)).toEqual([1, 2, 0]);
    expect(machine.last('anomaly')).toEqual([]);
  });
});

describe('a boot that is over', () => {
  it('D-02 does not excuse a fall in a full status', () => {
    const machine = new MachineUnderTest().status({ ...counters(9, 9, 9), mSecSinceBoot: 9_000 });
    machine.status({ ...counters(5, 5, 5), mSecSinceBoot: 10 }).status({ ...counters(4, 5, 5), mSecSinceBoot: 20 });
    expect(machine.last('anomaly')).toHaveLength(1);
    expect(madeBy(machine)).toEqual([5, 5, 5]);
  });

  it('D-02 does not excuse a second fall of a single field', () => {
    const machine = new MachineUnderTest()
      .field('msecsinceboot', '9000')
      .field('cycle', '9')
      .field('msecsinceboot', '10');
    machine.field('cycle', '5').field('cycle', '4').field('cycle', '3').field('msecsinceboot', '20');
    expect(machine.ever('anomaly').map(({ anomaly }) => [anomaly.from, anomaly.to])).toEqual([
      [5, 4],
      [4, 3],
    ]);
    expect(madeBy(machine)).toEqual([5, 0, 0]);
  });

  it('D-02 a lower value marked as a duplicate counts if it is the first of a boot', () => {
    const machine = new MachineUnderTest()
      .field('msecsinceboot', '9000')
      .field('cycle', '9')
      .field('msecsinceboot', '10');
    expect(madeBy(machine.field('cycle', '5', true))).toEqual([5, 0, 0]);
  });

  it('D-01 a full status replaces all fields before it', () => {
    const machine = new MachineUnderTest().field('machinePower', '1').status({ mSecSinceBoot: 9_000 });
    expect(machine.field('msecsinceboot', '10').state.known.machinePower).toBeNull();
  });
});

describe('messages delivered again', () => {
  it('D-02 change nothing if they are identical, but are a sign of life', () => {
    const machine = new MachineUnderTest()
      .status(counters(5, 5, 5))
      .wait(9_000)
      .status(counters(5, 5, 5), true);
    expect(machine.state.redelivered).toBe(1);
    machine.wait(9_000).clock();
    expect(machine.state.silent).toBe(false);
    expect(machine.last('reboot')).toEqual([]);
  });

  it('D-02 an identical status does not select its part again over a later choice', () => {
    const machine = new MachineUnderTest().status({ partId: 'P-1' }).wait(100);
    machine.input({ type: 'selectPart', partId: 'P-2', partName: null, at: machine.wallMs, by: 'person' });
    machine.wait(100).status({ partId: 'P-1' });
    expect(machine.state.selection?.partId).toBe('P-2');
  });

  it('D-02 an older status that is marked as a duplicate is ignored; without the mark it is a reboot', () => {
    const older = { ...counters(4, 4, 4), mSecSinceBoot: 1000, running: false };
    const newer = { ...counters(5, 5, 5), mSecSinceBoot: 1500 };
    const marked = new MachineUnderTest().status(newer).wait(10).status(older, true);
    expect(marked.state.known).toEqual(statusOf(newer));
    expect([marked.state.redelivered, marked.state.boots]).toEqual([1, 1]);
    const unmarked = new MachineUnderTest().status(newer).wait(10).status(older);
    expect(unmarked.state.boots).toBe(2);
  });

  it('D-02 a duplicate that is newer than the last status is taken, also past a wrap', () => {
    const machine = new MachineUnderTest().status({ ...counters(5, 5, 5), mSecSinceBoot: 2 ** 32 - 100 });
    machine.wait(500).status({ ...counters(6, 6, 5), mSecSinceBoot: 400 }, true);
    machine.wait(500).status({ ...counters(8, 8, 5), mSecSinceBoot: 900 }, true);
    expect(madeBy(machine)).toEqual([3, 3, 0]);
    expect(machine.state.redelivered).toBe(0);
  });
});

describe('counters of single fields', () => {
  function simplePlc() {
    const machine = new MachineUnderTest();
    machine
      .field('machinePower', 'true')
      .field('partId', 'P-1')
      .field('running', 'true')
      .field('msecsinceboot', '90000');
    return machine.field('cycle', '100').field('goodPart', '90').field('badPart', '10');
  }

  it('MQTT-04 DEV-06 count by themselves, without any full status', () => {
    const machine = simplePlc().wait(500).field('goodParts', '93').field('cycles', '104').field('scrap', '11');
    expect(madeBy(machine)).toEqual([4, 3, 1]);
    expect(machine.message).toBeNull();
  });

  it.each([
    [['msecsinceboot', 'cycle', 'goodPart', 'badPart']],
    [['cycle', 'msecsinceboot', 'goodPart', 'badPart']],
    [['badPart', 'goodPart', 'cycle', 'msecsinceboot']],
  ])('DEV-07 D-02 count from zero after a reboot whose fields come in the order %j', (order) => {
    const values: Record<string, string> = { msecsinceboot: '700', cycle: '3', goodPart: '2', badPart: '1' };
    const machine = simplePlc().wait(500);
    for (const name of order) machine.field(name, values[name] ?? '');
    expect(madeBy(machine)).toEqual([3, 2, 1]);
    expect(machine.ever('anomaly')).toEqual([]);
    machine.field('cycle', '4').field('goodPart', '3').field('msecsinceboot', '1200');
    expect(madeBy(machine)).toEqual([4, 3, 1]);
  });

  it('DEV-07 D-02 count once when a full status follows some single fields', () => {
    const machine = simplePlc().wait(500).field('goodPart', '2');
    machine.status({ ...counters(5, 4, 1), mSecSinceBoot: 900 });
    expect(madeBy(machine)).toEqual([5, 4, 1]);
  });

  it('DEV-07 D-02 count on after a reboot if the machine kept its counters', () => {
    const machine = simplePlc().wait(500).field('msecsinceboot', '700').field('goodPart', '91').field('cycle', '101');
    expect(madeBy(machine)).toEqual([1, 1, 0]);
  });

  it('D-02 that fall are recorded as a fall once mSecSinceBoot shows that there was no reboot', () => {
    const machine = simplePlc().wait(500).field('goodPart', '80');
    expect(machine.last('anomaly')).toEqual([]);
    machine.field('msecsinceboot', '90500');
    expect(machine.last('anomaly')).toMatchObject([{ anomaly: { counter: 'goodPart', from: 90, to: 80 } }]);
    expect(madeBy(machine)).toEqual([0, 0, 0]);
  });

  it('D-02 that fall are recorded as a fall at once if mSecSinceBoot is never sent', () => {
    const machine = new MachineUnderTest().field('goodPart', '9').field('goodPart', '4').field('goodPart', '6');
    expect(machine.ever('anomaly')).toHaveLength(1);
    expect(madeBy(machine)).toEqual([0, 2, 0]);
  });

  it('D-02 with lower values are ignored if they are marked as duplicates', () => {
    const machine = simplePlc().field('goodPart', '89', true).field('msecsinceboot', '89500', true);
    expect([machine.state.boots, machine.state.redelivered]).toEqual([1, 2]);
    expect(machine.field('goodPart', '91').totals.goodParts).toBe(1);
  });

  it('D-02 do not show a reboot when only mSecSinceBoot wraps', () => {
    const machine = simplePlc()
      .field('msecsinceboot', String(2 ** 31 - 10))
      .field('msecsinceboot', '490');
    expect(machine.state.boots).toBe(1);
  });

  it('D-01 a switch stays until a reboot or a full status, except if it was sent after the last mSecSinceBoot', () => {
    const booted = simplePlc().wait(500).field('running', 'false').field('msecsinceboot', '700');
    expect(booted.state.known).toMatchObject({ running: false, machinePower: null });
    expect(booted.message).toBe('Machine power is off');
    const snapshot = simplePlc().wait(500).status({ mSecSinceBoot: 91_000, machinePower: undefined, cycle: 100 });
    expect(snapshot.message).toBe('Machine power is off');
  });

  it('D-10 a reboot seen in single fields removes no operator', () => {
    const machine = simplePlc().field('userId', 'pat').field('msecsinceboot', '10');
    expect(machine.state.known.userId).toBe('pat');
    expect(machine.ever('workSession').map((effect) => effect.session.endedAt)).toEqual([null]);
  });
});
