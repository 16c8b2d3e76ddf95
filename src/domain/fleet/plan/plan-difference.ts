import { PLANT_CODECS } from '../../plant/plant-codecs.ts';
import type { SealedRecord } from './fleet-plan.ts';
import {
  PLAN_KINDS,
  type PlanKind,
  type PlanPartName,
  planRecordId,
  type SealedPlan,
  SHIFTS_PART,
} from './fleet-plan.ts';
import { differingShifts } from './plan-shifts.ts';

/** How a record, or the shifts, differ. `fields` names the fields, a secret only by its name. */
export interface PlanDifference extends PlanPartName {
  readonly change: 'create' | 'update' | 'remove';
  readonly fields: readonly string[];
}

/** The changes from one plan to another. */
export function planDifference(before: SealedPlan, after: SealedPlan): readonly PlanDifference[] {
  const ofRecords = PLAN_KINDS.flatMap((kind) => differenceOfKind(kind, before[kind], after[kind]));
  return [...ofRecords, ...shiftsDifference(before, after)];
}

/** A plan that leaves the shifts out changes none. */
function shiftsDifference(before: SealedPlan, { shifts }: SealedPlan): readonly PlanDifference[] {
  if (shifts === undefined) return [];
  const fields = differingShifts(before.shifts ?? { shifts: [] }, shifts);
  if (fields.length === 0) return [];
  return [{ ...SHIFTS_PART, change: before.shifts === undefined ? 'create' : 'update', fields }];
}

function differenceOfKind(
  kind: PlanKind,
  before: readonly SealedRecord[],
  after: readonly SealedRecord[],
): readonly PlanDifference[] {
  const left = new Map(before.map((record) => [planRecordId(kind, record), record]));
  const changes: PlanDifference[] = [];
  for (const record of after) {
    const id = planRecordId(kind, record);
    const former = left.get(id);
    left.delete(id);
    const fields = differingFields(kind, former ?? {}, record);
    if (fields.length > 0) changes.push({ kind, id, change: former === undefined ? 'create' : 'update', fields });
  }
  for (const id of left.keys()) changes.push({ kind, id, change: 'remove', fields: [] });
  return changes;
}

function differingFields(kind: PlanKind, before: SealedRecord, after: SealedRecord): readonly string[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  const differing = [...fields].filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  return toldFields(kind, differing);
}

/** Field names as people know them: `password` for `passwordHash`. */
export function toldFields(kind: PlanKind, fields: readonly string[]): readonly string[] {
  const names = new Map(PLANT_CODECS[kind].secrets.map(({ field, hashField }) => [hashField, field]));
  return fields.map((field) => names.get(field) ?? field);
}
