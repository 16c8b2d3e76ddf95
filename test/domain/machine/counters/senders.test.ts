import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Sender } from '../../../../src/domain/machine/counters/sender.ts';
import { rounds } from '../../../rounds.ts';
import { MachineUnderTest } from '../machine-under-test.ts';

const PLC: Sender = { transport: 'mqtt', clientId: 'RF-01', address: '10.0.0.5' };
const CURL: Sender = { transport: 'http', address: '10.0.0.9' };

/** A controller: its uptime grows with the time, and its counters only grow. */
class Controller {
  readonly machine: MachineUnderTest;
  readonly sender: Sender;
  readonly bootedMs: number;
  readonly first: { cycle: number; goodPart: number; badPart: number };
  counters: { cycle: number; goodPart: number; badPart: number };

  constructor(machine: MachineUnderTest, sender: Sender, uptimeMs: number, goodPart: number, badPart = 0) {
    this.machine = machine;
    this.sender = sender;
    this.bootedMs = machine.monotonicMs - uptimeMs;
    this.first = { cycle: goodPart + badPart, goodPart, badPart };
    this.counters = { ...this.first };
  }

  send(good = 0, bad = 0): void {
    const { cycle, goodPart, badPart } = this.counters;
    this.counters = { cycle: cycle + good + bad, goodPart: goodPart + good, badPart: badPart + bad };
    const mSecSinceBoot = this.machine.monotonicMs - this.bootedMs;
    this.machine.status({ mSecSinceBoot, ...this.counters }, false, this.sender);
  }
}

const HOUR_MS = 3_600_000;

function goodParts(machine: MachineUnderTest): number {
  return machine.totals.goodParts;
}

describe('two devices under one machine id', () => {
  it('D-59 a copied line beside a running machine adds none of its counts, whatever sends it', () => {
    for (const sender of [PLC, CURL]) {
      const machine = new MachineUnderTest();
      const plc = new Controller(machine, PLC, 5 * HOUR_MS, 2_386);
      plc.send();
      const line = new Controller(machine, sender, 9 * HOUR_MS, 42_045);
      for (let message = 0; message < 20; message++) {
        machine.wait(250);
        line.send();
        machine.wait(250);
        plc.send(1);
      }
      expect(goodParts(machine)).toBe(0);
      for (let message = 0; message < 25; message++) {
        machine.wait(500);
        plc.send(1);
      }
      expect(goodParts(machine)).toBe(45);
    }
  });

  it('D-59 the line of the guide, which looks like a boot, adds its own parts at most', () => {
    const machine = new MachineUnderTest();
    const plc = new Controller(machine, PLC, 5 * HOUR_MS, 2_386);
    plc.send();
    for (let message = 0; message < 60; message++) {
      machine.wait(500);
      if (message % 7 === 0) machine.status({ mSecSinceBoot: 1_000, cycle: 1, goodPart: 5, badPart: 0 }, false, CURL);
      else plc.send(1);
    }
    machine.wait(10_000);
    plc.send();
    expect(goodParts(machine)).toBeGreaterThanOrEqual(51);
    expect(goodParts(machine)).toBeLessThanOrEqual(51 + 5);
  });

  it('D-59 both clients are named, and the answer of the second one changes nothing of the machine', () => {
    const machine = new MachineUnderTest();
    const plc = new Controller(machine, PLC, 5 * HOUR_MS, 2_386);
    plc.send();
    machine.wait(250).status({ mSecSinceBoot: 9 * HOUR_MS, goodPart: 9_000, running: false }, false, CURL);
    expect(machine.last('twoSenders')).toMatchObject([{ senders: [PLC, CURL] }]);
    machine.wait(250);
    plc.send(1);
    machine
      .wait(250)
      .status({ mSecSinceBoot: 9 * HOUR_MS + 500, goodPart: 9_000, running: false, partId: 'P-9' }, false, CURL);
    expect(machine.state.known).toMatchObject({ running: true, partId: 'P-1', goodPart: 2_387 });
  });

  it('D-59 what one client says decides at once, also if its counters seem to be those of two devices', () => {
    const machine = new MachineUnderTest();
    for (let message = 1; message <= 10; message++) {
      const fault = message % 2 === 0;
      machine.status({ mSecSinceBoot: message * 1_000, goodPart: fault ? 100 : 9_000, fault }, false, PLC);
      expect(machine.state.known.fault).toBe(fault);
    }
    expect(machine.ever('twoSenders').length).toBeGreaterThan(0);
    expect(goodParts(machine)).toBeLessThanOrEqual(100);
  });

  it('D-59 the device that goes on counts, when the other one has been silent for 10 s', () => {
    const machine = new MachineUnderTest();
    const [one, other] = [
      new Controller(machine, PLC, 5 * HOUR_MS, 100),
      new Controller(machine, CURL, 9 * HOUR_MS, 5_000),
    ];
    one.send();
    for (let message = 0; message < 4; message++) {
      machine.wait(500);
      other.send(2);
      machine.wait(500);
      one.send(1);
    }
    for (let message = 0; message < 30; message++) {
      machine.wait(500);
      other.send(2);
    }
    // Its first message showed 5,002 parts; all that it made since then counts.
    expect(goodParts(machine)).toBe(66);
  });

  it('D-59 two devices that booted together and have made nearly as much are found by the second fall', () => {
    const machine = new MachineUnderTest();
    const one = new Controller(machine, PLC, HOUR_MS, 100);
    const other = new Controller(machine, CURL, HOUR_MS, 90);
    for (let message = 0; message < 20; message++) {
      one.send(1);
      machine.wait(250);
      other.send(1);
      machine.wait(250);
    }
    expect(machine.ever('twoSenders').length).toBeGreaterThan(0);
    expect(goodParts(machine)).toBeLessThanOrEqual(20 + 20);
  });

  it('D-02 counters that fall once and are soon where they were before count on from the fall', () => {
    const machine = new MachineUnderTest();
    machine.status({ mSecSinceBoot: 4_000, goodPart: 5 }).status({ mSecSinceBoot: 5_000, goodPart: 3 });
    machine.status({ mSecSinceBoot: 6_000, goodPart: 12 });
    expect(goodParts(machine)).toBe(9);
    expect(machine.ever('twoSenders')).toEqual([]);
  });

  it('D-59 one device whose clock is put forward loses no part: what it makes counts 10 s later', () => {
    const machine = new MachineUnderTest();
    machine.status({ mSecSinceBoot: 1_000, goodPart: 5 }, false, PLC);
    machine.wait(500).status({ mSecSinceBoot: 4_000_000, goodPart: 6 }, false, PLC);
    expect(goodParts(machine)).toBe(0);
    machine.wait(9_000).status({ mSecSinceBoot: 4_009_000, goodPart: 9 }, false, PLC);
    expect(goodParts(machine)).toBe(0);
    machine.wait(1_000).status({ mSecSinceBoot: 4_010_000, goodPart: 10 }, false, PLC);
    expect(goodParts(machine)).toBe(5);
  });

  it('D-59 one device whose clock is put back counts on 10 s later, and is reported as a reboot', () => {
    const machine = new MachineUnderTest();
    machine.status({ mSecSinceBoot: 9_000_000, goodPart: 5 }, false, PLC);
    machine.wait(500).status({ mSecSinceBoot: 4_000_000, goodPart: 6 }, false, PLC);
    expect(machine.effects.map(({ type }) => type)).toContain('reboot');
    expect(machine.ever('twoSenders')).toEqual([]);
    machine.wait(10_000).status({ mSecSinceBoot: 4_010_000, goodPart: 9 }, false, PLC);
    expect(goodParts(machine)).toBe(4);
  });

  it.each([
    ['a computer that slept', (machine: MachineUnderTest) => (machine.wallMs += HOUR_MS)],
    ['an hour without a network', (machine: MachineUnderTest) => machine.wait(HOUR_MS)],
  ])('D-59 %s is no second device', (_, pass) => {
    const machine = new MachineUnderTest();
    machine.status({ mSecSinceBoot: 1_000, goodPart: 5 }, false, PLC);
    pass(machine);
    machine.status({ mSecSinceBoot: 1_000 + HOUR_MS, goodPart: 45 }, false, CURL);
    expect(machine.last('twoSenders')).toEqual([]);
    expect(goodParts(machine)).toBe(40);
  });

  it('D-59 statuses that waited in a buffer are no second device', () => {
    const machine = new MachineUnderTest();
    machine.status({ mSecSinceBoot: 0, goodPart: 0 }, false, PLC).wait(10 * 60_000);
    for (let message = 1; message <= 3; message++)
      machine.status({ mSecSinceBoot: message * 200_000, goodPart: message }, false, PLC);
    expect(machine.ever('twoSenders')).toEqual([]);
    expect(goodParts(machine)).toBe(3);
  });

  it.each([
    ['uptimes', ['mSecSinceBoot', 'goodPart'], 5 * HOUR_MS, 9 * HOUR_MS],
    ['counters alone', ['goodPart'], 5 * HOUR_MS, 5 * HOUR_MS],
  ])(
    'D-59 two devices of single fields, seen by their %s, add none of the other one’s counts',
    (_, fields, one, other) => {
      const machine = new MachineUnderTest();
      const send = (uptimeMs: number, goodPart: number, sender: Sender) => {
        for (const field of fields)
          machine.field(
            field === 'goodPart' ? 'goodPart' : 'msecsinceboot',
            String(field === 'goodPart' ? goodPart : uptimeMs),
            false,
            sender,
          );
      };
      send(one, 2_386, PLC);
      for (let message = 1; message <= 20; message++) {
        machine.wait(250);
        send(other + message * 500, 100, CURL);
        machine.wait(250);
        send(one + message * 500, 2_386 + message, PLC);
      }
      expect(machine.ever('twoSenders').length).toBeGreaterThan(0);
      expect(goodParts(machine)).toBeLessThanOrEqual(20);
      machine.wait(10_000);
      send(one + 20_000, 2_406, PLC);
      machine.wait(500);
      send(one + 20_500, 2_407, PLC);
      expect(goodParts(machine)).toBeLessThanOrEqual(21);
      expect(goodParts(machine)).toBeGreaterThanOrEqual(1);
    },
  );

  it.each([
    ['whose counters lie apart, any uptimes', 0, 100_000, fc.integer({ min: 1, max: 450 })],
    ['whose uptimes lie apart, with long silences', 130_000, 0, fc.integer({ min: 1, max: 40_000 })],
  ])(
    'D-59 any interleaving of two controllers %s counts no part twice and never more than the sum of both',
    (_, apartMs, apartParts, afterMs) => {
      const uptime = fc.oneof(fc.nat(60_000), fc.nat(10 * HOUR_MS));
      const count = fc.oneof(fc.nat(20), fc.nat(50_000));
      const move = fc.record({ of: fc.nat(1), afterMs, good: fc.oneof(fc.nat(3), fc.nat(200)), bad: fc.nat(2) });
      const moves = fc.array(move, { minLength: 2, maxLength: 100 });
      fc.assert(
        fc.property(uptime, uptime, count, count, fc.boolean(), moves, (up, apart, one, other, isSameClient, story) => {
          const machine = new MachineUnderTest().wait(30 * HOUR_MS);
          const first = new Controller(machine, PLC, up, one);
          const second = new Controller(machine, isSameClient ? PLC : CURL, up + apartMs + apart, apartParts + other);
          const played = play(machine, [first, second], story);
          const { goodParts, badParts, cycles } = sums(machine);
          expect(goodParts).toBeLessThanOrEqual(played('goodPart'));
          expect(badParts).toBeLessThanOrEqual(played('badPart'));
          expect(cycles).toBeLessThanOrEqual(played('cycle'));
        }),
        { numRuns: rounds(2_000) },
      );
    },
  );
});

interface Move {
  readonly of: number;
  readonly afterMs: number;
  readonly good: number;
  readonly bad: number;
}

/** Plays a story. Gives the sum that both controllers show, without the parts from before the first message of all. */
function play(machine: MachineUnderTest, controllers: readonly Controller[], story: readonly Move[]) {
  let heard: Controller | undefined;
  for (const { of, afterMs, good, bad } of story) {
    machine.wait(afterMs);
    const sender = controllers[of];
    if (heard === undefined) sender?.send();
    else sender?.send(good, bad);
    heard ??= sender;
  }
  return (counter: 'goodPart' | 'badPart' | 'cycle') =>
    controllers.reduce((sum, each) => sum + each.counters[counter] - (each === heard ? each.first[counter] : 0), 0);
}

/** The totals of all shifts. */
function sums(machine: MachineUnderTest) {
  const shifts = new Map(machine.ever('shift').map(({ shift }) => [shift.shiftDate + shift.shiftName, shift.totals]));
  const { shiftDate, shiftName } = machine.state.shift.period;
  shifts.set(shiftDate + shiftName, machine.state.shift.totals);
  const all = [...shifts.values()];
  const sum = (pick: (totals: (typeof all)[number]) => number) => all.reduce((total, each) => total + pick(each), 0);
  return {
    goodParts: sum((totals) => totals.goodParts),
    badParts: sum((totals) => totals.badParts),
    cycles: sum((totals) => totals.cycles),
  };
}
