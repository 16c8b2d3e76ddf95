import { describe, expect, it } from 'vitest';
import { snapshot } from '../../../src/flows/device/live-machine.ts';
import type { StoreRecord } from '../../../src/flows/store-ports.ts';
import { calendarOf, HOUR_MS, MORNING } from '../../domain/machine/machine-under-test.ts';
import { FloorUnderTest, knownMachine, machine, NO_STORED_STATE } from '../floor-under-test.ts';

const RF1 = machine('RF-01');
const RF2 = machine('RF-02');

function stoppedFloor(): FloorUnderTest {
  const under = new FloorUnderTest([RF1, RF2]);
  under.status('RF-01', { partId: 'P-1', goodPart: 10, mSecSinceBoot: 1_000 });
  under.pass(1_000);
  under.status('RF-01', { partId: 'P-1', goodPart: 14, mSecSinceBoot: 2_000, running: false });
  return under;
}

function goodParts(under: FloorUnderTest): number {
  return under.live('RF-01').state.shift.totals.goodParts;
}

describe('a machine taken out of the plant and put back', () => {
  it('D-03, D-09 goes on with its counters, part and downtime, as after a restart', () => {
    const under = stoppedFloor();
    under.registry.configure([RF2], under.now);
    expect(under.registry.get('RF-01')).toBeUndefined();
    under.pass(60_000);
    under.registry.configure([RF1, RF2], under.now);
    expect(under.live('RF-01').state.decision.message).toBe('Downtime categorization required');
    const answer = under.status('RF-01', { goodPart: 20, mSecSinceBoot: 62_000, running: false });
    expect(answer).toMatchObject({ decision: { message: 'Downtime categorization required' } });
    expect(goodParts(under)).toBe(10);
    expect(under.live('RF-01').state.selection?.partId).toBe('P-1');
  });

  it('D-07 takes over on its return the edits that people made to its downtimes meanwhile', () => {
    const under = stoppedFloor();
    const { downtime } = under.live('RF-01').state;
    if (downtime === null) throw new Error('no downtime opened');
    under.registry.configure([RF2], under.now);
    const downtimes = [{ ...downtime, reasonId: 'DT-01' }];
    under.registry.applyWhenBack(knownMachine('RF-01'), { type: 'downtimesChanged', downtimes, removedIds: [] });
    under.registry.configure([RF1, RF2], under.now);
    expect(under.live('RF-01').state.uncategorized).toEqual([]);
    expect(under.live('RF-01').state.downtime?.reasonId).toBe('DT-01');
  });

  it('D-07 does not take over old edits again once it is back', () => {
    const under = stoppedFloor();
    const { downtime } = under.live('RF-01').state;
    if (downtime === null) throw new Error('no downtime opened');
    const stored = { ...NO_STORED_STATE, openDowntimes: [downtime] };
    const again = new FloorUnderTest([RF1], { ...stored, lastWrittenAt: null, setAside: null });
    const downtimes = [{ ...downtime, reasonId: 'DT-01', endedAt: downtime.startedAt + 1 }];
    const input = { type: 'downtimesChanged', downtimes, removedIds: [] } as const;
    again.registry.apply(again.live('RF-01'), input, again.now, 'all');
    again.registry.configure([], again.now);
    again.registry.configure([RF1], again.now);
    expect(again.live('RF-01').state.uncategorized).toEqual([]);
  });
});

it('F26 D-95 a machine is held since before the restart, unless the rule that holds it has changed', () => {
  const under = stoppedFloor();
  const heldSince = under.live('RF-01').since.decision;
  expect(heldSince).toBe(under.now.wallMs);
  const machineStates = [{ machineId: RF1.machineId, json: snapshot(under.live('RF-01')) }];
  const later = { monotonicMs: 0, wallMs: under.now.wallMs + 29 * 60_000 };
  const again = new FloorUnderTest([RF1], { ...NO_STORED_STATE, machineStates }, 'again', later);
  // Without the stop in the store nothing waits for a reason any more.
  expect(again.live('RF-01').state.decision.message).not.toBe('Downtime categorization required');
  expect(again.live('RF-01').since.decision).toBeNull();
  const { downtime } = under.live('RF-01').state;
  if (downtime === null) throw new Error('no downtime opened');
  const stored = { ...NO_STORED_STATE, machineStates, openDowntimes: [downtime] };
  const held = new FloorUnderTest([RF1], stored, 'held', later);
  expect(held.live('RF-01').since.decision).toBe(heldSince);
  held.pass(1_000);
  held.status('RF-01', { partId: 'P-1', goodPart: 14, mSecSinceBoot: 60_000, running: true });
  expect(held.live('RF-01').since.decision).toBe(heldSince);
});

it('D-27 caught-up production goes to disk together with the totals that include it', () => {
  const under = stoppedFloor();
  const machineStates = [{ machineId: RF1.machineId, json: snapshot(under.live('RF-01')) }];
  const later = { monotonicMs: 0, wallMs: under.now.wallMs + 60_000 };
  const again = new FloorUnderTest([RF1], { ...NO_STORED_STATE, machineStates }, 'again', later);
  again.status('RF-01', { partId: 'P-1', goodPart: 20, mSecSinceBoot: 60_000, running: false, jobNumber: 'J-1' });
  const group = again.handedOver.find((records) => records.some(({ kind }) => kind === 'catchUp')) ?? [];
  const totals = group.filter(({ kind }) => kind === 'catchUp' || kind === 'shift');
  expect(totals).toMatchObject([
    { catchUp: { since: under.now.wallMs, shift: { totals: { goodParts: 10 } } } },
    { shift: { totals: { goodParts: 10 }, reading: { goodPart: 20 } } },
  ]);
  expect(group.some(({ kind }) => kind === 'workSession')).toBe(true);
});

it('D-03 D-27 a shift that ended while the gateway was down has its totals written, also if people acted meanwhile', () => {
  const under = stoppedFloor();
  const live = under.live('RF-01');
  const { period } = live.state.shift;
  const shift = { ...live.state.shift, period: { ...period, shiftDate: '2026-03-01', endMs: under.now.wallMs } };
  const json = snapshot({ ...live, state: { ...live.state, shift } });
  const { downtime } = live.state;
  if (downtime === null) throw new Error('no downtime opened');
  const machineStates = [{ machineId: live.state.machineId, json }];
  const stored = { ...NO_STORED_STATE, machineStates, openDowntimes: [downtime] };
  const later = { monotonicMs: 0, wallMs: under.now.wallMs + 60_000 };
  const again = new FloorUnderTest([RF1], stored, 'again', later);
  const totals = again.records.flatMap((record) => (record.kind === 'shift' ? [record.shift] : []));
  expect(totals).toMatchObject([
    { shiftDate: '2026-03-01', totals: { goodParts: 4 } },
    { shiftDate: '2026-03-02', totals: { goodParts: 0 } },
  ]);
});

describe('records for the store', () => {
  const FACTS: ReadonlySet<StoreRecord['kind']> = new Set(['downtime', 'span', 'workSession', 'anomaly', 'part']);

  it('D-03 an event and the state after it are written together, so that a power cut leaves neither without the other', () => {
    const under = new FloorUnderTest([RF1]);
    const steps = [
      () => under.status('RF-01', { partId: 'P-1', jobNumber: 'J-1' }),
      () => under.status('RF-01', { partId: 'P-1', running: false, mSecSinceBoot: 2_000 }),
      () => under.status('RF-01', { partId: 'P-1', fault: true, mSecSinceBoot: 3_000 }),
      () => under.status('RF-01', { partId: 'P-2', cycle: 5, mSecSinceBoot: 4_000 }),
      () => under.status('RF-01', { partId: 'P-2', cycle: 3, mSecSinceBoot: 5_000 }),
    ];
    for (const act of steps) {
      under.pass(1_000);
      const from = under.handedOver.length;
      act();
      const events = under.handedOver.slice(from).filter((group) => group.some(({ kind }) => FACTS.has(kind)));
      expect(events).not.toEqual([]);
      for (const group of events) expect(group.at(-1)).toMatchObject({ kind: 'machineState', machineId: 'RF-01' });
    }
  });
});

it('D-27 totals go to disk within a minute, even if nothing more happens', async () => {
  const under = new FloorUnderTest([RF1]);
  under.watch.start();
  const stored = () => under.records.findLast((record) => record.kind === 'shift')?.shift.totals.goodParts;
  under.status('RF-01', { partId: 'P-1', goodPart: 10, mSecSinceBoot: 1_000 });
  await expect.poll(stored).toBe(0);
  under.pass(1_000);
  under.status('RF-01', { partId: 'P-1', goodPart: 14, mSecSinceBoot: 2_000 });
  under.pass(30_000);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(stored()).toBe(0);
  under.pass(31_000);
  await expect.poll(stored).toBe(4);
  under.watch.stop();
});

it('DEV-10 after a change of the plant each remaining machine falls silent at its own time, and once', async () => {
  const names = Array.from({ length: 250 }, (_, index) => `RF-${index}`);
  const plant = names.map((name) => machine(name));
  const under = new FloorUnderTest(plant);
  for (const name of names) under.status(name, { partId: 'P-1', mSecSinceBoot: 1_000 });
  const silent = () => names.filter((name) => under.registry.get(name)?.state.silent === true);
  const gone = new Set(['RF-0', 'RF-120', 'RF-249']);
  let isChanged = false;
  under.registry.onChange(() => {
    if (isChanged || silent().length < 50) return;
    isChanged = true;
    queueMicrotask(() =>
      under.registry.configure(
        plant.filter(({ machineId }) => !gone.has(machineId)),
        under.now,
      ),
    );
  });
  under.pass(10_001);
  const before = under.sent.length;
  under.watch.start();
  await expect.poll(() => silent().length).toBe(names.length - gone.size);
  under.status('RF-100', { partId: 'P-1', mSecSinceBoot: 11_000 });
  await new Promise((resolve) => setTimeout(resolve, 150));
  under.watch.stop();
  expect(silent()).not.toContain('RF-100');
  const told = under.sent.slice(before).map(({ machineId }) => machineId);
  expect(told.filter((name) => !gone.has(name)).toSorted()).toEqual(names.filter((name) => !gone.has(name)).toSorted());
});

describe('a corrected wall clock', () => {
  const DAY_MS = 24 * HOUR_MS;

  it.each([
    ['three days behind', 3 * DAY_MS],
    ['three days ahead', -3 * DAY_MS],
  ])('D-04 that was %s moves the times since which decision, fault, override and refusals last', (_, deltaMs) => {
    const under = new FloorUnderTest([RF1]);
    const startedAt = under.now.wallMs;
    under.status('RF-01', { fault: true, override: true });
    under.pass(1_000);
    under.say('RF-01', 'no status');
    under.pass(1_000);
    under.now = { ...under.now, wallMs: under.now.wallMs + deltaMs };
    const live = under.live('RF-01');
    under.registry.apply(live, { type: 'clockCorrected', deltaMs, sinceAt: startedAt }, under.now, 'all');
    const since = startedAt + deltaMs;
    expect(live.since).toEqual({ decision: since, fault: since, override: since });
    expect(live.refused).toMatchObject({ since: since + 1_000, lastAt: since + 1_000 });
  });

  it('D-04 leaves times before the boot, and unknown ones', () => {
    const under = new FloorUnderTest([RF1]);
    under.status('RF-01', { machinePower: false });
    const live = under.live('RF-01');
    const { since } = live;
    const input = { type: 'clockCorrected', deltaMs: DAY_MS, sinceAt: under.now.wallMs + 1 } as const;
    under.registry.apply(live, input, under.now, 'all');
    expect(live.since).toEqual(since);
    expect(since.decision).toBeNull();
  });
});

describe('a shift calendar that was changed while the gateway was down', () => {
  const before = calendarOf('America/Chicago', ['06:00', '18:00']);
  /** 10:00 in Chicago, in the shift S0 of 1 June. */
  const now = { monotonicMs: 1_000_000, wallMs: MORNING };

  it.each([
    ['the same', before, { shiftDate: '2026-06-01', shiftName: 'S0', goodParts: 7 }, 7],
    ['the same shift, longer', calendarOf('America/Chicago', ['06:00', '22:00']), { shiftName: 'S0', goodParts: 7 }, 7],
    ['the same shift, over', calendarOf('America/Chicago', ['06:00', '09:00']), { shiftName: 'S1', goodParts: 3 }, 4],
    ['another zone', calendarOf('Asia/Tokyo', ['00:00', '12:00']), { shiftDate: '2026-06-02', goodParts: 3 }, 4],
    ['one that began earlier', calendarOf('America/Chicago', ['05:00', '05:30', '09:30']), { shiftName: 'S2' }, 4],
  ])('VAR-03, D-03 %s: parts made from now on count in their shift', (_, after, expected, storedOfS0) => {
    const first = new FloorUnderTest([RF1], NO_STORED_STATE, 'first', now, before.shiftAt);
    first.status('RF-01', { goodPart: 10, mSecSinceBoot: 1_000 });
    first.pass(1_000);
    first.status('RF-01', { goodPart: 14, mSecSinceBoot: 2_000 });
    const state = { machineId: RF1.machineId, json: snapshot(first.live('RF-01')) };
    const stored = { ...NO_STORED_STATE, machineStates: [state] };
    const next = new FloorUnderTest([RF1], stored, 'next', first.now, after.shiftAt);
    next.pass(1_000);
    next.status('RF-01', { goodPart: 17, mSecSinceBoot: 3_000 });
    const { period, totals } = next.live('RF-01').state.shift;
    expect({ ...period, ...totals }).toMatchObject({ ...after.shiftAt(next.now.wallMs), ...expected });
    const shifts = next.records.flatMap((record) => (record.kind === 'shift' ? [record.shift] : []));
    const ofS0 = shifts.findLast(({ shiftDate, shiftName }) => shiftDate === '2026-06-01' && shiftName === 'S0');
    expect(ofS0?.totals.goodParts).toBe(storedOfS0);
  });

  it('VAR-03, D-04 a shift whose totals may be forgotten is not restarted under another calendar', () => {
    const starts = Array.from({ length: 8 }, (_, hour) => `${String(6 + hour).padStart(2, '0')}:00`);
    const eight = calendarOf('America/Chicago', starts);
    const early = { monotonicMs: 1_000_000, wallMs: MORNING - 3.5 * HOUR_MS };
    const first = new FloorUnderTest([RF1], NO_STORED_STATE, 'first', early, eight.shiftAt);
    for (let hour = 0; hour < 8; hour++) {
      first.status('RF-01', { goodPart: 10 * hour, mSecSinceBoot: 1_000 + hour * HOUR_MS });
      first.pass(HOUR_MS);
    }
    const state = { machineId: RF1.machineId, json: snapshot(first.live('RF-01')) };
    const stored = { ...NO_STORED_STATE, machineStates: [state] };
    const one = calendarOf('America/Chicago', ['06:00']);
    const next = new FloorUnderTest([RF1], stored, 'next', first.now, one.shiftAt);
    next.status('RF-01', { goodPart: 77, mSecSinceBoot: 1_000 + 8 * HOUR_MS });
    next.watch.stop();
    const shifts = next.records.flatMap((record) => (record.kind === 'shift' ? [record.shift] : []));
    expect(shifts.length).toBeGreaterThan(0);
    expect(shifts.filter(({ shiftName }) => shiftName === 'S0')).toEqual([]);
  });
});
