import { expect, it } from 'vitest';
import { impossibleBoot } from '../../../../src/domain/machine/counters/impossible-boot.ts';
import { MachineUnderTest } from '../machine-under-test.ts';

const DAY_MS = 24 * 3_600_000;

it.each([
  ['a clock that is set back', DAY_MS, DAY_MS / 2, 1_000, true],
  ['a clock that jitters back', DAY_MS, DAY_MS - 1, 1_000, true],
  ['a reboot', DAY_MS, 500, 30_000, false],
  ['a reboot that was heard late', DAY_MS, 80_000, 30_000, false],
  ['a reboot while the device was away', DAY_MS, DAY_MS / 2, DAY_MS, false],
])('D-36 %s: reported %s', (_, from, to, elapsedMs, isTold) => {
  const machine = new MachineUnderTest();
  machine.status({ mSecSinceBoot: from });
  const before = machine.state;
  machine.wait(elapsedMs);
  machine.status({ mSecSinceBoot: to });
  const told = impossibleBoot(before, machine.state);
  expect(told !== null).toBe(isTold);
  if (isTold) expect(told).toContain(`from ${from} to ${to}`);
});

it('D-36 the first status after a start is not an impossible boot', () => {
  const machine = new MachineUnderTest();
  const before = machine.state;
  machine.status({ mSecSinceBoot: DAY_MS });
  expect(impossibleBoot(before, machine.state)).toBeNull();
});
