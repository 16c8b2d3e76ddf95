import { creditSession } from '../downtime/work-session.ts';
import type { CounterName } from '../status/status-fields.ts';
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
 * Notes a reboot: every counter may start again, except those that were heard just before on their own topics, from a
 * fall on: these are values of the new boot.
 */
export function noteReboot(transition: Transition): void {
  const { state, effects, now } = transition;
  const heard = [...state.falls, ...state.carried];
  state.boots++;
  state.unheard = COUNTERS.filter((counter) => !heard.some((early) => early.counter === counter));
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
  if (state.falls.length > 0) {
    if (rebooted) countProduction(transition, madeSinceFall(state.falls));
    else for (const fall of state.falls) recordAnomaly(transition, fall);
    if (rebooted) countFromZero(transition);
    state.falls = [];
  }
  if (state.carried.length > 0) state.carried = [];
}

/**
 * One counter fell at a boot, so all of them count from zero (D-02): those that are still to be heard, and those that
 * came before it and were counted from their last value.
 */
export function countFromZero(transition: Transition): void {
  const { state } = transition;
  for (const { counter, from } of state.carried) countProduction(transition, madeOf(counter, from));
  const { known, unheard } = state;
  const startOf = (counter: CounterName) => (unheard.includes(counter) && known[counter] !== null ? 0 : known[counter]);
  state.known = { ...known, cycle: startOf('cycle'), goodPart: startOf('goodPart'), badPart: startOf('badPart') };
  state.unheard = [];
  state.carried = [];
}

/** Notes a counter that went on, in case that another one falls at the same boot. */
export function noteCarried({ state }: Transition, counter: CounterName, from: number | null): void {
  const isNoted = [...state.falls, ...state.carried].some((early) => early.counter === counter);
  if (from !== null && !isNoted) state.carried = [...state.carried, { counter, from }];
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
