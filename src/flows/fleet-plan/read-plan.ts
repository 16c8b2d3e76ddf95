import { type Fault, foundText, invalidInput } from '../../domain/error.ts';
import {
  type FleetPlan,
  MAX_PLAN_RECORDS,
  ofEachPlanKind,
  PLAN_KINDS,
  PLAN_PARTS,
  type PlanEntries,
  type PlanKind,
  type PlanShifts,
  planRecordId,
  type SealedPlan,
  type SealedRecord,
} from '../../domain/fleet/plan/fleet-plan.ts';
import { isJsonObject } from '../../domain/json/json.ts';
import type { Result } from '../../domain/result.ts';
import { createShiftCalendar } from '../../domain/shift/shift-calendar.ts';
import { checkWorkPlan } from '../../domain/shift/work-plan.ts';
import { Slice } from '../../runtime/slice.ts';

type Shape<Entry> = (value: unknown) => Result<{ readonly value: Entry }>;

type RecordShapes = { readonly [Kind in PlanKind]: Shape<PlanEntries[Kind]> };
/** The checks of a plan's records, as people write them. */
export type PlanShapes = RecordShapes & ShiftsShape;
/** The checks of a plan's records, as they are sent. */
export type SealedShapes = { readonly [Kind in PlanKind]: Shape<object> } & ShiftsShape;

interface ShiftsShape {
  readonly shifts: Shape<PlanShifts>;
}

/** Faults of one plan that are named. */
const MAX_FAULTS = 100;

/** Kinds of a plant file that a plan has no part of, with the reason. */
const ELSEWHERE =
  'no such kind: a plan has machines, parts, downtimeReasons, apiKeys, users and shifts; other kinds are mirrored';

/** Reads a plan as people write it: the lists of a plant file. Rejects with `invalid-input` and every fault. */
export async function readPlan(value: unknown, shapes: PlanShapes): Promise<FleetPlan> {
  const lists = listsIn(value);
  const { shifts, faults: ofShifts } = shiftsIn(value, shapes);
  const faults: Fault[] = [...lists.faults, ...ofShifts];
  const entries: { readonly [Kind in PlanKind]: PlanEntries[Kind][] } = {
    machines: [],
    parts: [],
    downtimeReasons: [],
    apiKeys: [],
    users: [],
  };
  const slice = new Slice();
  const ofRecords: RecordShapes = shapes;
  const read = async <Kind extends PlanKind>(kind: Kind) => {
    const ids = new Set<string>();
    for (const [place, record] of lists.of[kind].entries()) {
      await slice.pause();
      const result = ofRecords[kind](record);
      if (!result.ok) faults.push(...result.faults.map((fault) => inPlan(kind, place, fault)));
      else if (ids.size === ids.add(planRecordId(kind, { ...result.value })).size) faults.push(twice(kind, place));
      else entries[kind].push(result.value);
      if (faults.length >= MAX_FAULTS) return;
    }
  };
  for (const kind of PLAN_KINDS) await read(kind);
  if (faults.length > 0) throw invalidInput(faults.slice(0, MAX_FAULTS));
  return { ...entries, ...shifts };
}

/** Reads a plan as it is sent. Rejects like `readPlan`. */
export async function readSealedPlan(value: unknown, shapes: SealedShapes): Promise<SealedPlan> {
  const lists = listsIn(value);
  const { shifts, faults: ofShifts } = shiftsIn(value, shapes);
  const faults: Fault[] = [...lists.faults, ...ofShifts];
  const slice = new Slice();
  const plan = ofEachPlanKind((): SealedRecord[] => []);
  for (const kind of PLAN_KINDS) {
    for (const [place, record] of lists.of[kind].entries()) {
      await slice.pause();
      const result = shapes[kind](record);
      if (result.ok) plan[kind].push({ ...result.value });
      else faults.push(...result.faults.map((fault) => inPlan(kind, place, fault)));
    }
  }
  if (faults.length > 0) throw invalidInput(faults.slice(0, MAX_FAULTS));
  return { ...plan, ...shifts };
}

/** The shifts, judged as those of a configuration are. */
function shiftsIn(value: unknown, shapes: ShiftsShape) {
  const given = isJsonObject(value) ? value.shifts : undefined;
  if (given === undefined) return { shifts: {}, faults: [] };
  if (!isJsonObject(given)) {
    const expected = 'shifts as { timeZone, shifts, daysOff }';
    return { shifts: {}, faults: [{ path: 'shifts', found: foundText(given), expected }] };
  }
  const shape = shapes.shifts(given);
  const faults = shape.ok ? judged(shape.value) : shape.faults;
  const inShifts = faults.map((fault) => ({ ...fault, path: `shifts.${fault.path}` }));
  return { shifts: shape.ok ? { shifts: shape.value } : {}, faults: inShifts };
}

function judged({ timeZone = 'UTC', ...others }: PlanShifts): readonly Fault[] {
  const settings = { timeZone, ...others };
  const calendar = createShiftCalendar(settings);
  return calendar.ok ? checkWorkPlan(settings) : calendar.faults;
}

function listsIn(value: unknown) {
  const given = isJsonObject(value) ? value : {};
  const faults: Fault[] = isJsonObject(value)
    ? []
    : [{ path: 'plan', found: foundText(value), expected: 'lists of records by their kind' }];
  for (const kind of Object.keys(given)) {
    if (PLAN_PARTS.every((known) => known !== kind)) {
      faults.push({ path: kind, found: 'it', expected: '', sentence: `${kind}: ${ELSEWHERE}` });
    }
  }
  const of = ofEachPlanKind((kind): readonly unknown[] => {
    const list = given[kind] ?? [];
    if (Array.isArray(list)) return list;
    faults.push({ path: kind, found: foundText(list), expected: 'a list of records' });
    return [];
  });
  const count = PLAN_KINDS.reduce((sum, kind) => sum + of[kind].length, 0);
  if (count > MAX_PLAN_RECORDS)
    faults.push({ path: 'plan', found: `${count} records`, expected: `at most ${MAX_PLAN_RECORDS}` });
  return { of: count > MAX_PLAN_RECORDS ? ofEachPlanKind((): readonly unknown[] => []) : of, faults };
}

function inPlan(kind: PlanKind, place: number, fault: Fault): Fault {
  return { ...fault, path: fault.path === '' ? `${kind}[${place}]` : `${kind}[${place}].${fault.path}` };
}

function twice(kind: PlanKind, place: number): Fault {
  return { path: `${kind}[${place}]`, found: 'a record that stands above already', expected: 'each record once' };
}
