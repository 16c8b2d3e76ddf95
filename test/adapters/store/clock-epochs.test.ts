import path from 'node:path';
import { expect, it } from 'vitest';
import { bootId } from '../../../src/adapters/store/thread/clock-epochs.ts';
import { correction, newDataDir, openTestCore, RF1, START_AT } from './open-test-store.ts';

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
    expect(core.machineHistory.overrides(RF1, { from: 0, to: 2 * START_AT })).toEqual([
      { startedAt: START_AT, endedAt: START_AT + 10 },
      { startedAt: START_AT + 20, endedAt: START_AT + 40 },
      ofEarlierBoot,
    ]);
  },
);

it.each([60_000, -60_000])(
  'D-04 a correction by %s ms moves times past others that are as far away',
  async (deltaMs) => {
    const core = openTestCore(newDataDir());
    const times = [START_AT, START_AT + 60_000, START_AT + 120_000];
    for (const at of times) {
      const anomaly = { machineId: RF1, at, counter: 'cycle', from: 1, to: 0 } as const;
      core.write([{ kind: 'anomaly', anomaly }, override(true, at), override(false, at + 1)], at);
    }
    core.write([{ kind: 'clockCorrected', ...correction(deltaMs) }], START_AT);
    const corrected = times.map((at) => at + deltaMs);
    const overrides = core.machineHistory.overrides(RF1, { from: 0, to: 2 * START_AT });
    expect(overrides).toEqual(corrected.map((at) => ({ startedAt: at, endedAt: at + 1 })));
    const anomalies = core.connection.prepare('SELECT at FROM anomaly ORDER BY at').pluck().all();
    expect(anomalies).toEqual(corrected);
  },
);

it('D-04 a corrected override takes the place of one of an earlier boot that began at the same moment', () => {
  const dataDir = newDataDir();
  const earlier = openTestCore(dataDir, 'earlier run');
  earlier.write([override(true, START_AT), override(false, START_AT + 1)]);
  earlier.connection.exec("UPDATE clock_epoch SET boot_id = 'earlier'");
  earlier.close();
  const core = openTestCore(dataDir, 'present run');
  core.write([override(true, START_AT - DAY_MS), override(false, START_AT - DAY_MS + 2)]);
  core.write([{ kind: 'clockCorrected', ...correction(DAY_MS), untilAt: START_AT - HOUR_MS }]);
  expect(core.machineHistory.overrides(RF1, { from: 0, to: 2 * START_AT })).toEqual([
    { startedAt: START_AT, endedAt: START_AT + 2 },
  ]);
});
