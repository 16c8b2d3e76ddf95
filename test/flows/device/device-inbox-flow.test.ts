import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FloorUnderTest, machine, status } from '../floor-under-test.ts';

const ID = 'RF-1';
/** The time for which a device's ten statuses of one second count. */
const TURN_MS = 950;

function floor(): FloorUnderTest {
  return new FloorUnderTest([machine(ID)]);
}

/** Sends as many statuses or fields as may pass at once. */
function exhaustStatuses(under: FloorUnderTest): void {
  for (let count = 0; count < 10; count++) under.status(ID, { mSecSinceBoot: 1_000 + count });
}

function exhaustFields(under: FloorUnderTest): void {
  for (let count = 0; count < 170; count++) under.field(ID, 'goodPart', String(count));
}

function takeAllHeld(under: FloorUnderTest): void {
  for (let look = 0; look < 3; look++) {
    under.pass(TURN_MS);
    under.takeHeld(ID);
  }
}

describe('messages that a device sends too fast', () => {
  it('D-12 a held status is never taken after a newer one', () => {
    const under = floor();
    exhaustStatuses(under);
    under.status(ID, { mSecSinceBoot: 2_000, cycle: 5 });
    under.pass(TURN_MS);
    under.status(ID, { mSecSinceBoot: 3_000, cycle: 7 });
    under.takeHeld(ID);
    expect(under.live(ID).state).toMatchObject({ boots: 1, known: { mSecSinceBoot: 3_000, cycle: 7 } });
  });

  it('D-12, DEV-07 counters lose nothing, for any number of boots within a burst', () => {
    const message = fc.record({ made: fc.nat(3), waitMs: fc.constantFrom(0, 0, 0, 0, 100, 950) });
    const boot = fc.array(message, { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(boot, { minLength: 1, maxLength: 5 }), (boots) => {
        const under = floor();
        exhaustStatuses(under);
        let total = 0;
        for (const [number, messages] of boots.entries()) {
          let goodPart = 0;
          const bootedAtMs = 900 - 100 * number;
          under.status(ID, { mSecSinceBoot: bootedAtMs, goodPart });
          for (const [place, { made, waitMs }] of messages.entries()) {
            under.pass(waitMs);
            goodPart += made;
            total += made;
            under.status(ID, { mSecSinceBoot: bootedAtMs + place, goodPart });
          }
        }
        takeAllHeld(under);
        expect(under.live(ID).state).toMatchObject({
          boots: 1 + boots.length,
          shift: { totals: { goodParts: total } },
        });
      }),
    );
  });

  it('D-12 a device that boots in every message gets through at most twice as often', () => {
    const under = floor();
    for (let count = 0; count < 500; count++) under.status(ID, { mSecSinceBoot: 1_000 - count });
    expect(under.live(ID).state.boots).toBe(20);
  });

  it('D-05, D-12 a decision changed by a held status that is taken early is published', () => {
    const under = floor();
    exhaustStatuses(under);
    under.status(ID, { mSecSinceBoot: 2_000, machinePower: false });
    under.status(ID, { mSecSinceBoot: 500, machinePower: false });
    expect(under.sent).toMatchObject([{ topics: 'all', decision: { message: 'Machine power is off' } }]);
  });

  it.each([
    ['is no JSON', 'garbage'],
    ['has a field of a wrong type', status(ID, { cycle: 'many' })],
    ['is another machine’s', status('RF-99', { cycle: 9 })],
  ])('D-12 MQTT-12 a message that %s neither uses the rate limit nor replaces a held status', (_, message) => {
    const under = floor();
    exhaustStatuses(under);
    under.status(ID, { mSecSinceBoot: 2_000, cycle: 5 });
    under.say(ID, message);
    under.pass(TURN_MS);
    under.say(ID, message);
    under.takeHeld(ID);
    expect(under.live(ID).state.known).toMatchObject({ mSecSinceBoot: 2_000, cycle: 5 });
  });

  it('D-12 a held field is never taken after a newer value of it, in any spelling', () => {
    const under = floor();
    exhaustFields(under);
    under.field(ID, 'machinePower', 'false');
    under.pass(TURN_MS);
    under.field(ID, 'powerOn', 'true');
    under.takeHeld(ID);
    expect(under.live(ID).state.known.machinePower).toBe(true);
  });

  it('D-01, D-12 a full status replaces fields that were held before it', () => {
    const under = floor();
    exhaustFields(under);
    under.field(ID, 'machinePower', 'false');
    under.status(ID, { machinePower: true });
    under.pass(TURN_MS);
    under.takeHeld(ID);
    expect(under.live(ID).state.known.machinePower).toBe(true);
  });

  it('D-01, D-12 a field that comes after a held status is taken after it', () => {
    const under = floor();
    exhaustStatuses(under);
    under.status(ID, { mSecSinceBoot: 2_000, machinePower: true });
    under.field(ID, 'machinePower', 'false');
    under.pass(TURN_MS);
    under.takeHeld(ID);
    under.takeHeld(ID);
    expect(under.live(ID).state.known.machinePower).toBe(false);
  });

  it('MQTT-12 a field that is too long to mean anything is not kept', () => {
    const under = floor();
    exhaustFields(under);
    under.field(ID, 'userId', 'x'.repeat(200_000));
    expect(under.live(ID).heldFields.size).toBe(0);
    expect(under.incidents).toContainEqual(expect.objectContaining({ kind: 'malformed', subject: ID }));
  });

  it('D-34 a field with NUL bytes behind it is taken and counted, and one in UTF-16 is refused with its reason', () => {
    const under = floor();
    under.field(ID, 'machinePower', 'false\0');
    under.field(ID, 'cycle', Buffer.from('12', 'utf16le').toString('utf8'));
    expect(under.live(ID).state.known.machinePower).toBe(false);
    expect(under.incidents).toEqual([
      { kind: 'tolerated', subject: ID, detail: 'sends payloads with NUL bytes or blanks behind' },
      {
        kind: 'malformed',
        subject: ID,
        detail: 'cycle: found UTF-16, expected text in UTF-8',
        example: '1\u00002\u0000',
      },
    ]);
  });

  it('D-12 the newest value of each field is known in the end, for any messages at any times', () => {
    const message = fc.record({
      waitMs: fc.constantFrom(0, 0, 0, 30, 50, 400, 950),
      isFull: fc.boolean(),
      powered: fc.boolean(),
      looks: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 80 }), (messages) => {
        const under = floor();
        exhaustFields(under);
        let uptime = 10_000;
        let powered: boolean | null = null;
        for (const { waitMs, isFull, looks, ...message } of messages) {
          under.pass(waitMs);
          if (looks) under.takeHeld(ID);
          powered = message.powered;
          if (isFull) under.status(ID, { mSecSinceBoot: ++uptime, machinePower: powered });
          else under.field(ID, 'machinePower', String(powered));
        }
        takeAllHeld(under);
        expect(under.live(ID).state.boots).toBe(1);
        expect(under.live(ID).state.known.machinePower).toBe(powered);
        if (uptime > 10_000) expect(under.live(ID).state.known.mSecSinceBoot).toBe(uptime);
      }),
    );
  });
});

describe('presence', () => {
  it.each([
    ['true', 'online'],
    ['ON', 'online'],
    [' 1\0', 'online'],
    ['yes', 'online'],
    ['"true"', 'online'],
    ['off', 'offline'],
    ['No', 'offline'],
    ['0', 'offline'],
    ['\ufefftrue', 'online'],
    ['\ufeff"0"\0', 'offline'],
    ['here', 'unknown'],
    ['', 'unknown'],
    ['\ufeff', 'unknown'],
  ])('D-32 D-34 MQTT-06 online %j makes the machine %s', (text, connection) => {
    const under = floor();
    under.inbox.presence(under.live(ID).machine.machineId, 'online', text, { transport: 'mqtt', duplicate: false });
    expect(under.live(ID).connection).toBe(connection);
  });
});
