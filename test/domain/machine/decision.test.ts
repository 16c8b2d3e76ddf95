import { describe, expect, it } from 'vitest';
import { decide, INTERNAL_ERROR_DECISION, RULES } from '../../../src/domain/machine/decision.ts';

const EITHER = [true, false];

/** The rule table of the interface, written down a second time. */
function expectedMessage(power: boolean | null, part: boolean, responding: boolean, uncategorized: boolean) {
  if (!power) return 'Machine power is off';
  if (!part) return 'Part not selected';
  if (!responding) return 'Device not responding';
  return uncategorized ? 'Downtime categorization required' : null;
}

describe('the four rules', () => {
  const cases = [true, false, null].flatMap((machinePower) =>
    EITHER.flatMap((partSelected) =>
      EITHER.flatMap((responding) =>
        EITHER.flatMap((uncategorizedDowntime) =>
          [true, false, null].map((fault) => ({
            machinePower,
            partSelected,
            responding,
            uncategorizedDowntime,
            fault,
          })),
        ),
      ),
    ),
  );

  it.each(cases)('DEV-08 DEV-09 DEV-10 DEV-11 DEV-12 DEV-13 decide %o', (facts) => {
    const { machinePower, partSelected, responding, uncategorizedDowntime, fault } = facts;
    const message = expectedMessage(machinePower, partSelected, responding, uncategorizedDowntime);
    const decision = decide(facts);
    expect(decision).toEqual({ runEnabled: message === null, attentionNeeded: fault === true, message });
    expect(decide({ ...facts })).toBe(decision);
  });

  it('DEV-12 are listed in the order of the interface', () => {
    expect(RULES.map((rule) => rule.message)).toEqual([
      'Machine power is off',
      'Part not selected',
      'Device not responding',
      'Downtime categorization required',
    ]);
  });

  it('DEV-17 D-11 a failed gateway gives a device a safe command', () => {
    expect(INTERNAL_ERROR_DECISION).toEqual({
      runEnabled: false,
      attentionNeeded: true,
      message: 'Server error - grain unavailable',
    });
  });
});
