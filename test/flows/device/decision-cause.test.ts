import { describe, expect, it } from 'vitest';
import { machineView } from '../../../src/flows/local-api/machine-view.ts';
import { FloorUnderTest, machine, NO_STORED_STATE, status } from '../floor-under-test.ts';

const ID = 'RF-1';

const START_MS = Date.UTC(2026, 2, 2, 8);
const SHIFT = { shiftDate: '2026-03-02', shiftName: 'Day', startMs: START_MS, endMs: START_MS + 43_200_000 };

function floor(): FloorUnderTest {
  const now = { monotonicMs: 1_000_000, wallMs: START_MS };
  return new FloorUnderTest([machine(ID)], NO_STORED_STATE, 'id', now, () => SHIFT);
}

function viewOf(under: FloorUnderTest) {
  return machineView(under.live(ID), { part: () => undefined });
}

function causeOf(under: FloorUnderTest) {
  return viewOf(under).decision.cause;
}

/** Time passes, and the machine notices it. */
function fallSilent(under: FloorUnderTest): void {
  under.pass(10_500);
  under.registry.apply(under.live(ID), { type: 'clock' }, under.now, 'all');
}

describe('the cause for which a machine may not run', () => {
  it.each([
    ['the machine was never heard', null, { kind: 'neverHeard', since: null }],
    [
      'a field that a rule needs is missing',
      { machinePower: undefined },
      { kind: 'fieldMissing', field: 'machinePower' },
    ],
    ['the power is off', { machinePower: false }, { kind: 'powerOff' }],
    ['no part is selected', {}, { kind: 'noPart', since: new Date(START_MS).toISOString() }],
  ])('D-35 %s', (_, said, cause) => {
    const under = floor();
    if (said !== null) under.status(ID, said);
    expect(causeOf(under)).toMatchObject(cause);
  });

  it('D-35 the machine fell silent, with the time of its last message', () => {
    const under = floor();
    under.status(ID, { partId: 'P-1' });
    const since = new Date(under.now.wallMs).toISOString();
    expect(causeOf(under)).toBe(null);
    fallSilent(under);
    expect(causeOf(under)).toMatchObject({ kind: 'silent', since });
  });

  it('D-35 the messages are refused, with their number, the time since then and the newest reason', () => {
    const under = floor();
    under.status(ID, { partId: 'P-1' });
    under.pass(500);
    const since = new Date(under.now.wallMs).toISOString();
    for (let count = 0; count < 3; count++) under.status(ID, { goodPart: undefined, goodParst: 5 });
    expect(causeOf(under)).toBe(null);
    fallSilent(under);
    const cause = causeOf(under);
    expect(cause).toMatchObject({ kind: 'messagesRefused', since, count: 3 });
    expect(JSON.stringify(cause)).toContain('goodParst: did you mean goodPart?');
    under.status(ID, { partId: 'P-1' });
    expect(causeOf(under)).toBe(null);
  });

  it('D-36 the messages come on a topic that no machine has', () => {
    const under = floor();
    const text = status(ID);
    under.inbox.unmatched('some-plc', 'plant/RF-1/Status', text, { transport: 'mqtt', duplicate: false });
    const cause = causeOf(under);
    expect(cause).toMatchObject({ kind: 'messagesRefused', count: 1 });
    expect(JSON.stringify(cause)).toContain('did you mean plant/RF-1/status?');
    expect(under.incidents).toMatchObject([{ kind: 'unmatchedTopic', subject: 'some-plc' }]);
  });

  it('D-35 a downtime has no reason yet', () => {
    const under = floor();
    under.status(ID, { partId: 'P-1' });
    under.pass(500);
    under.status(ID, { partId: 'P-1', running: false, mSecSinceBoot: 1_500 });
    const cause = causeOf(under);
    expect(cause).toMatchObject({ kind: 'downtimeOpen', downtimeId: under.live(ID).state.uncategorized[0] });
    expect(viewOf(under).decision.message).toBe('Downtime categorization required');
  });
});
