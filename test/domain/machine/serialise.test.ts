import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { restore, serialise } from '../../../src/domain/machine/serialise.ts';
import { HOUR_MS, MachineUnderTest, MORNING } from './machine-under-test.ts';

const NOW = { monotonicMs: 9, wallMs: MORNING + HOUR_MS };

function busyMachine() {
  const machine = new MachineUnderTest({ minimumStopMs: 3_000 });
  machine.status({ userId: 'pat', fault: true, material: 26, goodTotal: 7 }).wait(500).field('running', 'false');
  machine.wait(4_000).clock().wait(500).field('running', 'true').wait(500).field('running', 'false');
  machine.field('cycle', '9').field('cycle', '3');
  machine.wallMs += 12 * HOUR_MS;
  return machine.wait(10).clock();
}

describe('the stored state of a machine', () => {
  it('D-03 comes back unchanged, except for the monotonic clock', () => {
    const { state } = busyMachine();
    const result = restore(serialise(state), NOW);
    if (!result.ok) throw new Error(JSON.stringify(result.faults));
    const { asOf, heard, observedMs, span, pendingStop, downtimeEndedMs, sessionActive, pause: _, ...rest } = state;
    // A second device, and clocks of devices, are found again from the first message on.
    const { sender, bootedMs, countedAtMs, other, uncounted, latestFalls, ...kept } = rest;
    expect(result.state).toMatchObject(kept);
    expect(result.state).toMatchObject({ sender: null, bootedMs: null, other: null, uncounted: null, latestFalls: [] });
    expect(result.state).toMatchObject({ asOf: NOW, observedMs: null, span: null });
    expect(result.state.heard).toEqual({ monotonicMs: 9, wallMs: heard?.wallMs });
    expect(result.state.sessionActive).toEqual({ monotonicMs: 9, wallMs: sessionActive.wallMs });
    expect(result.state.pendingStop?.startedAt).toBe(pendingStop?.startedAt);
    expect(Object.keys(result.state)).toEqual(Object.keys(state));
  });

  it('D-03 has its totals read in whole milliseconds, also if they were stored with fractions', () => {
    const machine = new MachineUnderTest().status();
    machine.monotonicMs += 1_000.6;
    machine.wallMs += 1_000;
    machine.clock();
    const json = serialise(machine.state);
    expect(json).toContain('"runningMs":1000.6');
    const result = restore(json, NOW);
    expect(result.ok && result.state.shift.totals.runningMs).toBe(1_001);
  });

  it('D-03 may have unknown fields, which are ignored', () => {
    const json = serialise(busyMachine().state).replace('{', '{"later":{"x":1},');
    expect(restore(json, NOW).ok).toBe(true);
  });

  it.each([
    ['', 'state'],
    ['{"version":', 'state'],
    ['null', ''],
    ['[]', 'version'],
    ['{}', 'version'],
  ])('D-03 is refused with a fault for %j', (json, path) => {
    expect(restore(json, NOW)).toMatchObject({ ok: false, faults: [{ path }] });
  });

  it('D-03 is refused with a fault if its version is newer', () => {
    const json = serialise(busyMachine().state).replace('"version":1', '"version":2');
    expect(restore(json, NOW)).toMatchObject({ ok: false, faults: [{ path: 'version' }] });
  });

  it('D-03 never makes the reader throw, for any content of a damaged disk', () => {
    const json = serialise(busyMachine().state);
    const damage = fc.tuple(fc.nat(json.length), fc.nat(40), fc.string({ maxLength: 5 }));
    fc.assert(
      fc.property(damage, ([at, length, text]) => {
        const damaged = json.slice(0, at) + text + json.slice(at + length);
        const result = restore(damaged, NOW);
        if (!result.ok) expect(result.faults.length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });
});
