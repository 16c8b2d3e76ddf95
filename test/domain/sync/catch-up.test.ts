import { describe, expect, it } from 'vitest';
import type { ShiftTotals } from '../../../src/domain/machine/counters/counters.ts';
import type { CatchUp } from '../../../src/domain/machine/records.ts';
import { catchUpOffsets } from '../../../src/domain/sync/catch-up.ts';
import { RF_01 } from '../machine/machine-under-test.ts';

const NO_TIME = { runningMs: 0, stoppedMs: 0, downMs: 0, faultMs: 0, overrideMs: 0, offlineMs: 0 };

function totals(parts: number, runningMs = 0): ShiftTotals {
  return { goodParts: parts, badParts: 0, cycles: parts, ...NO_TIME, runningMs };
}

function reading(at: number, mSecSinceBoot: number, parts: number) {
  return { at, mSecSinceBoot, cycle: parts, goodPart: parts, badPart: 0 };
}

/**
 * The gateway was backed up at 1,000 s of uptime with the counter at 100, restored, and heard the machine again an hour
 * of uptime later.
 */
function catchUp(shift: ShiftTotals, parts: number, mSecSinceBoot = 4_600_000, session: number | null = null): CatchUp {
  const counts = { goodParts: session ?? 0, badParts: 0, cycles: session ?? 0 };
  const work = { sessionId: 'W-1', machineId: RF_01, jobNumber: 'J', partId: null, userId: null, startedAt: 0 };
  return {
    since: 1_000_000,
    at: 4_600_000,
    reading: reading(4_600_000, mSecSinceBoot, parts),
    shift: { machineId: RF_01, shiftDate: '2026-03-04', shiftName: 'Late', totals: shift },
    session: session === null ? null : { ...work, lastActiveAt: 4_600_000, endedAt: null, ...counts },
  };
}

describe('counts of a restored gateway', () => {
  it.each([
    ['of other shifts', { said: 150, known: 0, formerParts: 190, parts: 250 }, 60],
    ['of the same shift', { said: 170, known: 110, formerParts: 190, parts: 250 }, 170],
    ['where nothing was made since', { said: 90, known: 30, formerParts: 190, parts: 190 }, 30],
    ['where the counter was set back without a boot', { said: 0, known: 30, formerParts: 190, parts: 20 }, 30],
  ])('D-27 DEV-06 are shown once: %s', (_, { said, known, formerParts, parts }, shown) => {
    const offsets = catchUpOffsets(catchUp(totals(said), parts), reading(3_000_000, 3_000_000, formerParts), {
      shift: totals(known),
      session: totals(0),
    });
    expect(said + (offsets?.shift.goodParts ?? Number.NaN)).toBe(shown);
    expect(said + (offsets?.shift.cycles ?? Number.NaN)).toBe(shown);
  });

  it('D-27 D-02 are not added again after a boot that the lost data directory had seen', () => {
    // The machine counted 20 since the boot, of which 15 were known.
    const offsets = catchUpOffsets(catchUp(totals(20), 20, 700_000), reading(4_000_000, 100_000, 15), {
      shift: totals(300),
      session: totals(0),
    });
    expect(20 + (offsets?.shift.goodParts ?? Number.NaN)).toBe(305);
  });

  it('D-27 D-02 are all new after a later boot', () => {
    const offsets = catchUpOffsets(catchUp(totals(20), 20, 50_000), reading(4_000_000, 3_900_000, 500), {
      shift: totals(300),
      session: totals(0),
    });
    expect(20 + (offsets?.shift.goodParts ?? Number.NaN)).toBe(320);
  });

  it('D-27 include times, which continue from the known time and never shrink', () => {
    const offsetOf = (known: number) =>
      catchUpOffsets(catchUp(totals(0, 60_000), 250), reading(3_000_000, 3_000_000, 190), {
        shift: totals(0, known),
        session: totals(0),
      })?.shift.runningMs;
    expect([offsetOf(0), offsetOf(60_000), offsetOf(90_000)]).toEqual([0, 0, 30_000]);
  });

  it('D-27 D-10 are continued in the same way for a work session', () => {
    const offsets = catchUpOffsets(catchUp(totals(150), 250, 4_600_000, 160), reading(3_000_000, 3_000_000, 190), {
      shift: totals(0),
      session: totals(25),
    });
    expect(160 + (offsets?.session?.goodParts ?? Number.NaN)).toBe(25 + 60);
  });

  it.each([
    ['that was read last before the backup', 999_999, false],
    ['that was read last as in the backup', 1_000_000, true],
    ['that was read since', 1_000_001, true],
    ['that was read up to the restore', 4_599_999, true],
    ['that is read by the restored gateway itself', 4_600_000, false],
  ])('D-27 of a machine %s', (_, at, isCountedAnew) => {
    const offsets = catchUpOffsets(catchUp(totals(150), 250), reading(at, at, 190), {
      shift: totals(0),
      session: totals(0),
    });
    expect(offsets !== null).toBe(isCountedAnew);
  });
});
