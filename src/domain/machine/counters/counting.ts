import { creditSession } from '../downtime/work-session.ts';
import type { Turn } from '../turn.ts';
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

/** Adds what was made to the present shift and to the work session. */
export function countProduction(turn: Turn, made: Production): void {
  if (made.cycles === 0 && made.goodParts === 0 && made.badParts === 0) return;
  turn.state.shift = addProduction(turn.state.shift, made);
  creditSession(turn, made);
}

/**
 * A reboot: every counter may start again. One that was seen falling just before, on a topic of its own, already has.
 */
export function noteReboot(turn: Turn): void {
  const { state, effects, now } = turn;
  state.boots++;
  state.unheard = COUNTERS.filter((counter) => !state.falls.some((fall) => fall.counter === counter));
  effects.push({ type: 'reboot', at: now.wallMs, boots: state.boots });
}

/** Counters of a message that fell without a reboot are anomalies (D-02). */
export function judgeFalls(turn: Turn, after: CounterReading): void {
  const { state, now } = turn;
  for (const fall of fallenCounters(state.known, after, state.unheard, now.wallMs)) recordAnomaly(turn, fall);
}

/**
 * Falls seen on single-field topics are judged once mSecSinceBoot is heard: after a reboot they were a new start, and what
 * the counters had reached was made; without one they are anomalies.
 */
export function settleFalls(turn: Turn, rebooted: boolean): void {
  const { state } = turn;
  if (state.falls.length === 0) return;
  if (rebooted) countProduction(turn, madeSinceFall(state.falls));
  else for (const fall of state.falls) recordAnomaly(turn, fall);
  state.falls = [];
}

export function recordAnomaly({ state, effects }: Turn, { counter, from, to, at }: CounterFall): void {
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
