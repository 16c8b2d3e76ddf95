import { anyOf, foundText, invalidInput } from '../error.ts';
import type { Shift } from '../shift/shift-calendar.ts';
import type { ShiftTotals } from './counters/counters.ts';
import { COUNTERS } from './counters/counters.ts';
import { MAX_EARLIER_SHIFTS } from './counters/counting.ts';
import { MAX_UNCATEGORIZED } from './downtime/downtime.ts';
import { type MachineId, machineId } from './machine-names.ts';
import type { MachineState } from './machine-state.ts';
import type { Activity, WorkSession } from './records.ts';

/** Reads an unknown value as T, or throws CodedError `invalid-input` with the path of the fault. */
type Shape<T> = (value: unknown, path: string) => T;

const aNumber: Shape<number> = (value, path) =>
  typeof value === 'number' && Number.isFinite(value) ? value : refuse(value, path, 'a number');

const aText: Shape<string> = (value, path) => (typeof value === 'string' ? value : refuse(value, path, 'text'));

const aBoolean: Shape<boolean> = (value, path) =>
  typeof value === 'boolean' ? value : refuse(value, path, 'true or false');

const aScalar: Shape<string | number | boolean> = (value, path) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : refuse(value, path, 'text, a number or a boolean');

/** Null, which also stands for a missing field. */
function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return (value, path) => (value === null || value === undefined ? null : shape(value, path));
}

function oneOf<const T extends string>(choices: readonly T[]): Shape<T> {
  return (value, path) => choices.find((choice) => choice === value) ?? refuse(value, path, anyOf(choices));
}

function listOf<T>(shape: Shape<T>, maxLength: number): Shape<readonly T[]> {
  return (value, path) => {
    if (!Array.isArray(value) || value.length > maxLength) return refuse(value, path, `at most ${maxLength} entries`);
    return value.map((entry, place) => shape(entry, `${path}[${place}]`));
  };
}

/** An object with at least these fields; others are left out, so that a newer program's state can be read. */
function anObject<T extends object>(fields: { readonly [Key in keyof T]: Shape<T[Key]> }): Shape<T> {
  const shapes = Object.entries<Shape<unknown>>(fields);
  return (value, path) => {
    if (typeof value !== 'object' || value === null) return refuse(value, path, 'an object');
    const source = new Map<string, unknown>(Object.entries(value));
    const prefix = path === '' ? '' : `${path}.`;
    // Every key of T has been read by the shape of its own type.
    return Object.fromEntries(shapes.map(([key, shape]) => [key, shape(source.get(key), `${prefix}${key}`)])) as T;
  };
}

function refuse(value: unknown, path: string, expected: string): never {
  throw invalidInput([{ path, found: foundText(value), expected }]);
}

/**
 * The part of a machine's state that outlives the gateway (D-03): all but times of the monotonic clock, which starts
 * again. `observedAt` is the wall time up to which its time was accounted for.
 */
export type MachineMemory = Omit<
  MachineState,
  | 'asOf'
  | 'heard'
  | 'silent'
  | 'observedMs'
  | 'downtimeEndedMs'
  | 'sender'
  | 'bootedMs'
  | 'countedAtMs'
  | 'other'
  | 'uncounted'
  | 'latestFalls'
  | 'pause'
  | 'pendingStop'
  | 'shift'
  | 'earlierShifts'
  | 'session'
  | 'sessionActive'
  | 'decision'
> & {
  readonly version: number;
  readonly heardAt: number | null;
  readonly observedAt: number | null;
  readonly stopPendingSince: number | null;
  readonly shift: RememberedShift;
  readonly earlierShifts: readonly RememberedShift[];
  readonly session: WorkSession | null;
};

/** A shift's tally in one object. */
export type RememberedShift = Shift & { readonly totals: ShiftTotals };

export const MEMORY_VERSION = 1;

const SWITCHES = ['running', 'machinePower', 'fault', 'override'] as const;
const ACTIVITIES: readonly Activity[] = ['running', 'stopped', 'down', 'fault', 'offline'];

const aMachineId: Shape<MachineId> = (value, path) => machineId(aText(value, path)) ?? oneOf<never>([])(value, path);

const totals = anObject<ShiftTotals>({
  goodParts: aNumber,
  badParts: aNumber,
  cycles: aNumber,
  runningMs: aNumber,
  stoppedMs: aNumber,
  downMs: aNumber,
  faultMs: aNumber,
  overrideMs: aNumber,
  offlineMs: aNumber,
});

const tally = anObject<RememberedShift>({
  shiftDate: aText,
  shiftName: aText,
  startMs: aNumber,
  endMs: aNumber,
  totals,
});

const known = anObject<MachineState['known']>({
  machineId: aMachineId,
  running: orNull(aBoolean),
  machinePower: orNull(aBoolean),
  fault: orNull(aBoolean),
  override: orNull(aBoolean),
  mSecSinceBoot: orNull(aNumber),
  cycle: orNull(aNumber),
  goodPart: orNull(aNumber),
  badPart: orNull(aNumber),
  goodPartTotal: orNull(aScalar),
  goodPartInputs: orNull(aScalar),
  piecesAtATime: orNull(aScalar),
  userId: orNull(aText),
  partId: orNull(aText),
  partName: orNull(aText),
  jobNumber: orNull(aText),
  material: orNull(aText),
});

const selection = anObject<NonNullable<MachineState['selection']>>({
  partId: aText,
  partName: orNull(aText),
  selectedAt: aNumber,
  selectedBy: oneOf(['device', 'person']),
});

const downtime = anObject<NonNullable<MachineState['downtime']>>({
  downtimeId: aText,
  machineId: aMachineId,
  startedAt: aNumber,
  endedAt: orNull(aNumber),
  reasonId: orNull(aText),
  note: orNull(aText),
  userName: orNull(aText),
});

const session = anObject<WorkSession>({
  sessionId: aText,
  machineId: aMachineId,
  jobNumber: orNull(aText),
  partId: orNull(aText),
  userId: orNull(aText),
  startedAt: aNumber,
  lastActiveAt: aNumber,
  endedAt: orNull(aNumber),
  goodParts: aNumber,
  badParts: aNumber,
  cycles: aNumber,
});

const span = anObject<NonNullable<MachineState['span']>>({
  spanId: aText,
  machineId: aMachineId,
  activity: oneOf(ACTIVITIES),
  startedAt: aNumber,
  endedAt: orNull(aNumber),
});

const fall = anObject<MachineState['falls'][number]>({
  counter: oneOf(COUNTERS),
  from: aNumber,
  to: aNumber,
  at: aNumber,
});

/** The stored form, field by field; fields that it does not name are ignored. */
export const machineMemory = anObject<MachineMemory>({
  version: aNumber,
  machineId: aMachineId,
  known,
  heardAt: orNull(aNumber),
  observedAt: orNull(aNumber),
  boots: aNumber,
  redelivered: aNumber,
  unheard: listOf(oneOf(COUNTERS), COUNTERS.length),
  falls: listOf(fall, COUNTERS.length),
  freshSwitches: listOf(oneOf(SWITCHES), SWITCHES.length),
  nameAhead: orNull(aText),
  selection: orNull(selection),
  selectionAt: aNumber,
  downtime: orNull(downtime),
  uncategorized: listOf(aText, MAX_UNCATEGORIZED * 20),
  stopPendingSince: orNull(aNumber),
  shift: tally,
  earlierShifts: listOf(tally, MAX_EARLIER_SHIFTS),
  recount: orNull(aNumber),
  session: orNull(session),
  span: orNull(span),
});
