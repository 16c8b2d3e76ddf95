import { creditSession } from '../downtime/work-session.ts';
import type { Transition } from '../transition.ts';
import {
  COUNTERS,
  type CounterFall,
  type CounterReading,
  fallenCounters,
  madeSinceFall,
  NOTHING_MADE,
  type Production,
} from './counters.ts';
import { addProduction } from './shift-tally.ts';

/** Adds production to the present shift and to the work session. */
export function countProduction(transition: Transition, made: Production): void {
  if (made.cycles === 0 && made.goodParts === 0 && made.badParts === 0) return;
  transition.state.shift = addProduction(transition.state.shift, made);
  creditSession(transition, made);
}

/**
 * Notes a reboot: every counter may start again, except those that fell just before on their own topics, because these
 * have already started again.
 */
export function noteReboot(transition: Transition): void {
  const { state, effects, now } = transition;
  state.boots++;
  state.latestFalls = [];
  state.unheard = COUNTERS.filter((counter) => !state.falls.some((fall) => fall.counter === counter));
  effects.push({ type: 'reboot', at: now.wallMs, boots: state.boots });
}

/** Counters of a message that fell without a reboot are anomalies (D-02). */
export function judgeFalls(transition: Transition, after: CounterReading): void {
  const { state, now } = transition;
  for (const fall of fallenCounters(state.known, after, state.unheard, now.wallMs)) recordAnomaly(transition, fall);
}

/**
 * Judges the falls on single-field topics once mSecSinceBoot is heard. After a reboot they are a new start, and the
 * reached counts are production; without a reboot they are anomalies.
 */
export function settleFalls(transition: Transition, rebooted: boolean): void {
  const { state } = transition;
  if (state.falls.length === 0) return;
  if (rebooted) countProduction(transition, madeSinceFall(state.falls));
  else for (const fall of state.falls) recordAnomaly(transition, fall);
  state.falls = [];
}

export function recordAnomaly({ state, effects }: Transition, { counter, from, to, at }: CounterFall): void {
  effects.push({ type: 'anomaly', anomaly: { machineId: state.machineId, at: Math.round(at), counter, from, to } });
}

/** Production of one counter alone. */
export function madeOf(counter: CounterFall['counter'], count: number): Production {
  switch (counter) {
    case 'cycle':
      return { ...NOTHING_MADE, cycles: count };
    case 'goodPart':
      return { ...NOTHING_MADE, goodParts: count };
    case 'badPart':
      return { ...NOTHING_MADE, badParts: count };
  }
}
