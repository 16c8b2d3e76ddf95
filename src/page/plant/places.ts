import { byName } from './by-name.ts';
import type { LiveMachine } from './live-machine.ts';
import { RANK, type ShownState } from './shown-state.ts';

/** A machine moves down only after this time, so that its tile does not move just when a person touches it. */
const MOVE_DOWN_MS = 3_000;

/** The place of a machine among the others. It follows the machine's state, downwards a little later. */
export interface PlacedMachine {
  readonly live: LiveMachine;
  readonly state: ShownState;
  readonly sinceMs: number | null;
  readonly name: string;
  /** The time since which the machine should stand further down. */
  readonly downSinceMs: number | null;
}

/** All machines, worst first. Gives the same array where nothing moved. */
export function placeMachines(
  before: readonly PlacedMachine[],
  machines: Iterable<LiveMachine>,
  nowMs: number,
): readonly PlacedMachine[] {
  const known = new Map(before.map((placed) => [placed.live, placed]));
  const next = [...machines].map((live) => place(known.get(live) ?? null, live, nowMs));
  // Mostly nothing moved: thousands of machines are sorted only if one of them did.
  const isSame = next.length === before.length && next.every((placed) => known.get(placed.live) === placed);
  return isSame ? before : next.sort(worstFirst);
}

function place(before: PlacedMachine | null, live: LiveMachine, nowMs: number): PlacedMachine {
  const { state, sinceMs, name } = live;
  if (before === null || RANK[state.value] <= RANK[before.state]) return settle(before, live);
  const downSinceMs = before.downSinceMs ?? nowMs;
  if (nowMs - downSinceMs >= MOVE_DOWN_MS) {
    return { live, state: state.value, sinceMs: sinceMs.value, name: name.value, downSinceMs: null };
  }
  return before.downSinceMs === null ? { ...before, downSinceMs } : before;
}

function settle(before: PlacedMachine | null, live: LiveMachine): PlacedMachine {
  const [state, sinceMs, name] = [live.state.value, live.sinceMs.value, live.name.value];
  const isSame =
    before !== null &&
    before.downSinceMs === null &&
    before.state === state &&
    before.sinceMs === sinceMs &&
    before.name === name;
  return isSame ? before : { live, state, sinceMs, name, downSinceMs: null };
}

/** Orders machines by urgency, then by the duration of their state. */
function worstFirst(one: PlacedMachine, other: PlacedMachine): number {
  const byRank = RANK[one.state] - RANK[other.state];
  if (byRank !== 0) return byRank;
  const bySince = (one.sinceMs ?? 0) - (other.sinceMs ?? 0);
  return bySince !== 0 ? bySince : byName(one.name, other.name);
}
