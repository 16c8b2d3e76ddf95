import { describe, expect, it } from 'vitest';
import { snapshot } from '../../../src/flows/device/live-machine.ts';
import { recordOverrides } from '../../../src/flows/device/machine-watch.ts';
import { newDataDir, openTestCore } from '../../adapters/store/open-test-store.ts';
import { FloorUnderTest, machine, NO_STORED_STATE } from '../floor-under-test.ts';

const ID = 'RF-01';
const RF1 = machine(ID);
const PAUSE_MS = 60_000;

/** Lets the records of overrides go to the others of the floor. */
function recording(under: FloorUnderTest): FloorUnderTest {
  recordOverrides(under.registry, { record: (records) => void under.records.push(...records) });
  return under;
}

function restart(under: FloorUnderTest): FloorUnderTest {
  const machineStates = [{ machineId: RF1.machineId, json: snapshot(under.live(ID)) }];
  const later = { monotonicMs: 0, wallMs: under.now.wallMs + PAUSE_MS };
  const next = recording(new FloorUnderTest([RF1], { ...NO_STORED_STATE, machineStates }, 'next', later));
  next.records.unshift(...under.records);
  return next;
}

function removeAndAdd(under: FloorUnderTest): FloorUnderTest {
  under.registry.configure([], under.now);
  under.pass(PAUSE_MS);
  under.registry.configure([RF1], under.now);
  return under;
}

/** Ten seconds pass without a message of the machine. */
function fallSilent(under: FloorUnderTest): void {
  under.pass(10_000);
  under.registry.apply(under.live(ID), { type: 'clock' }, under.now, 'all');
}

const say = (override: boolean) => (under: FloorUnderTest) =>
  void under.status(ID, { override, mSecSinceBoot: 90_000 });
const nothing = () => undefined;

describe.each([
  ['the gateway restarts', restart],
  ['the machine is removed and added again', removeAndAdd],
])('DEV-14 D-03 overrides before and after %s', (_, pause) => {
  it.each([
    [
      'one that silence ended begins again with the next status',
      fallSilent,
      say(true),
      [
        [0, 15],
        [75, null],
      ],
    ],
    [
      'one that lasted ends with the last message, and begins again',
      nothing,
      say(true),
      [
        [0, 5],
        [65, null],
      ],
    ],
    ['one that lasted ends with the last message if the next status says false', nothing, say(false), [[0, 5]]],
    ['one that lasted ends with the last message if silence follows', nothing, fallSilent, [[0, 5]]],
    ['one that the device ended has its own end', say(false), say(false), [[0, 5]]],
  ])('%s', (__, before, after, expected) => {
    const first = recording(new FloorUnderTest([RF1]));
    const startedAt = first.now.wallMs;
    first.status(ID, { override: true, mSecSinceBoot: 1_000 });
    first.pass(5_000);
    first.status(ID, { override: true, mSecSinceBoot: 6_000 });
    before(first);
    const last = pause(first);
    after(last);
    const core = openTestCore(newDataDir());
    core.write(last.records);
    const seconds = (at: number | null) => (at === null ? null : (at - startedAt) / 1_000);
    const spans = core.machineHistory.overrides(RF1.machineId, { from: 0, to: Number.MAX_SAFE_INTEGER });
    expect(spans.map((span) => [seconds(span.startedAt), seconds(span.endedAt)])).toEqual(expected);
  });
});
