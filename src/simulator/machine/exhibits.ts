import type { MachinePace, SimulatedMachine } from './machine-design.ts';

/** The states that a visitor of the demo always finds on some machine. */
export type Exhibit = 'held' | 'silent' | 'overridden' | 'faulted';

const SECOND_MS = 1_000;
const LONG_MS = 60 * 60 * SECOND_MS;

/** A short fault stops the machine, and its stop gets no reason: it is held, or its operator overrides that. */
const STOPS_SOON: Partial<MachinePace> = { faultEveryMs: 5 * SECOND_MS, faultMs: [2 * SECOND_MS, 3 * SECOND_MS] };

const PACES: Readonly<Record<Exhibit, Partial<MachinePace>>> = {
  held: { ...STOPS_SOON, patienceMs: Number.POSITIVE_INFINITY },
  overridden: { ...STOPS_SOON, patienceMs: 2 * SECOND_MS },
  silent: { silentEveryMs: 5 * SECOND_MS, silentMs: [LONG_MS, LONG_MS] },
  faulted: { faultEveryMs: 5 * SECOND_MS, faultMs: [LONG_MS, LONG_MS] },
};

/** The places of these machines in the line: the first machines stay ordinary. */
const PLACES: readonly (readonly [number, Exhibit])[] = [
  [2, 'faulted'],
  [3, 'held'],
  [4, 'silent'],
  [5, 'overridden'],
];

export interface Exhibition {
  readonly machines: readonly SimulatedMachine[];
  /** Machines whose stops the crew gives no reason. */
  readonly leftAlone: ReadonlySet<string>;
}

/** Makes some machines of a line exhibits; a line of fewer than six has fewer of them. */
export function exhibition(line: readonly SimulatedMachine[]): Exhibition {
  const exhibits = new Map(PLACES);
  const machines = line.map((machine, place) => {
    const exhibit = exhibits.get(place);
    return exhibit === undefined ? machine : { ...machine, pace: { ...machine.pace, ...PACES[exhibit] } };
  });
  const left = line.filter((_, place) => exhibits.get(place) === 'held' || exhibits.get(place) === 'overridden');
  return { machines, leftAlone: new Set(left.map(({ machineId }) => machineId)) };
}
