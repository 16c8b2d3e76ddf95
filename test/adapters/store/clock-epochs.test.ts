import path from 'node:path';
import { expect, it } from 'vitest';
import { bootId } from '../../../src/adapters/store/thread/clock-epochs.ts';
import { correction, newDataDir, RF1, START_AT } from './open-test-store.ts';
import { openTestCore } from './thread/open-test-core.ts';

const HERE = import.meta.dirname;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function override(isOn: boolean, at: number) {
  return { kind: 'override', override: { machineId: RF1, isOn, at } } as const;
}

it('D-04 runs on one boot have the same boot id', () => {
  expect(bootId('run 1')).toBe(bootId('run 2'));
});

it('D-04 each run counts as a boot on a system without boot ids', () => {
  expect(bootId('run 1', path.join(HERE, 'missing'))).toBe('run 1');
});

it('D-04 a boot id that cannot be read is a fault, not another boot', () => {
  // A directory cannot be read as a file.
  expect(() => bootId('run 1', HERE)).toThrow('EISDIR');
});

it.each([
  ['three days behind', -3 * DAY_MS],
  ['three days ahead', 3 * DAY_MS],
])(
  'D-04 DEV-14 a clock that was %s is corrected in the overrides of this boot, and in no earlier ones',
  (_, wrongMs) => {
    const dataDir = newDataDir();
    const wrong = START_AT + wrongMs;
    const earlier = openTestCore(dataDir, 'earlier run');
    // These times are later than all times of the next boot, wrong or corrected.
    const ofEarlierBoot = { startedAt: START_AT + 4 * DAY_MS, endedAt: START_AT + 4 * DAY_MS + HOUR_MS };
    earlier.write([override(true, ofEarlierBoot.startedAt), override(false, ofEarlierBoot.endedAt)]);
    earlier.connection.exec("UPDATE clock_epoch SET boot_id = 'earlier'");
    earlier.close();
    const core = openTestCore(dataDir, 'present run');
    core.write([override(true, wrong), override(false, wrong + 10), override(true, wrong + 20)], wrong);
    core.write([{ kind: 'clockCorrected', ...correction(-wrongMs), untilAt: wrong + 30 }], START_AT + 30);
    core.write([override(false, START_AT + 40)], START_AT + 40);
    expect(core.course.overrides(RF1, { from: 0, to: 2 * START_AT })).toEqual([
      { startedAt: START_AT, endedAt: START_AT + 10 },
      { startedAt: START_AT + 20, endedAt: START_AT + 40 },
      ofEarlierBoot,
    ]);
  },
);
