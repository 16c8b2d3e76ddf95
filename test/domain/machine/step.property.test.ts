import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../rounds.ts';
import { happenings, Trial } from './trial.ts';

describe('any inputs to a machine', () => {
  it('DEV-06 DEV-07 DEV-12 D-02 D-03 D-04 give the same counts, times and decisions as an independent observer', () => {
    fc.assert(
      fc.property(happenings, (story) => {
        const trial = new Trial();
        for (const happening of story) {
          trial.happen(happening);
          trial.machine.clock();
          expect(trial.machine.state.decision).toEqual(trial.oracle.decision());
        }
        const totals = trial.totals();
        expect([totals.cycles, totals.goodParts, totals.badParts]).toEqual(trial.device.made);
        expect(totals).toMatchObject(trial.oracle.spent);
        const { runningMs, stoppedMs, downMs, offlineMs } = totals;
        expect(runningMs + stoppedMs + downMs + offlineMs).toBe(trial.oracle.elapsedMs);
        expect(Math.min(...Object.values(totals))).toBeGreaterThanOrEqual(0);
        expect(trial.machine.ever('anomaly')).toEqual([]);
      }),
      { numRuns: rounds(400) },
    );
  });

  it('DEV-10 D-04 give the same result for any number of clock readings', () => {
    const withoutJumps = happenings.map((story) => story.filter((happening) => happening.kind !== 'wallJump'));
    fc.assert(
      fc.property(withoutJumps, (story) => {
        const [rarely, often] = [new Trial(), new Trial(3)];
        for (const happening of story) {
          rarely.happen(happening);
          often.happen(happening);
        }
        expect(often.machine.clock().state).toEqual(rarely.machine.clock().state);
        expect(often.spans()).toEqual(rarely.spans());
      }),
      { numRuns: rounds(200) },
    );
  });

  it('DEV-12 publish a decision exactly when it changes, and leave spans and sessions in order', () => {
    fc.assert(
      fc.property(happenings, (story) => {
        const trial = new Trial();
        const before = trial.machine.state.decision;
        for (const happening of story) trial.happen(happening);
        const told = [before, ...trial.machine.ever('decision').map(({ decision }) => decision)];
        for (const [place, decision] of told.slice(1).entries())
          expect(decision).not.toEqual(trial.restored.get(place) ?? told[place]);
        const open = trial.spans().filter((span) => span.endedAt === null);
        expect(open.length).toBeLessThanOrEqual(1);
        for (const { startedAt, endedAt } of trial.spans())
          expect(endedAt ?? startedAt).toBeGreaterThanOrEqual(startedAt);
        const sessions = trial.machine.ever('workSession').filter(({ session }) => session.endedAt === null);
        expect(sessions).toEqual([]);
      }),
      { numRuns: rounds(200) },
    );
  });
});
