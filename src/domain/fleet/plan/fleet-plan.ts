import { PLANT_CODECS } from '../../plant/plant-codecs.ts';
import type { PlantEntries } from '../../plant/plant-entry.ts';
import type { WorkPlanSettings } from '../../shift/work-plan.ts';

/**
 * Plant data that a central server gives to a group of gateways (D-106). Kinds that gateways mirror anyway, such as
 * reason codes, locations and profiles, are no part of it.
 */

/** The kinds of records that a plan may have. */
export const PLAN_KINDS = ['machines', 'parts', 'downtimeReasons', 'apiKeys', 'users'] as const;
export type PlanKind = (typeof PLAN_KINDS)[number];

/** All parts of a plan: records by their kind, and the shifts as one. */
export const PLAN_PARTS = [...PLAN_KINDS, 'shifts'] as const;
export type PlanPart = (typeof PLAN_PARTS)[number];

/** The shifts of a group (D-112). Without a time zone each gateway keeps its own. */
export interface PlanShifts extends Omit<WorkPlanSettings, 'timeZone'> {
  readonly timeZone?: string | undefined;
}

/** Records as people write them: secrets stand in the clear. Of a machine only its rates; each gateway has its own machines. */
export interface PlanEntries {
  readonly machines: Pick<PlantEntries['machines'], 'machineId' | 'idealPartsPerMinute' | 'targetPartsPerShift'>;
  readonly parts: PlantEntries['parts'];
  readonly downtimeReasons: PlantEntries['downtimeReasons'];
  readonly apiKeys: PlantEntries['apiKeys'];
  readonly users: PlantEntries['users'];
}

interface WithShifts {
  /** Left out: each gateway keeps its shifts. */
  readonly shifts?: PlanShifts;
}

export type FleetPlan = { readonly [Kind in PlanKind]: readonly PlanEntries[Kind][] } & WithShifts;

/** A record of a plan that is stored and sent: each secret is a hash, in the field of the plant's record (`passwordHash`). */
export type SealedRecord = Readonly<Record<string, unknown>>;
export type SealedPlan = { readonly [Kind in PlanKind]: readonly SealedRecord[] } & WithShifts;

export const EMPTY_SEALED: SealedPlan = { machines: [], parts: [], downtimeReasons: [], apiKeys: [], users: [] };

/** The records of one plan, of all kinds together. More are refused. */
export const MAX_PLAN_RECORDS = 4_000;

/** One record of a plan. */
export interface PlanRecordName {
  readonly kind: PlanKind;
  readonly id: string;
}

/** One record of a plan, or its shifts. */
export interface PlanPartName {
  readonly kind: PlanPart;
  readonly id: string;
}

export const SHIFTS_PART: PlanPartName = { kind: 'shifts', id: 'shifts' };

/** The id of a record of a plan. An API key without an id is named by its principal. */
export function planRecordId(kind: PlanKind, record: SealedRecord): string {
  const id = record[PLANT_CODECS[kind].idField] ?? record.principal;
  return typeof id === 'string' ? id : '';
}

/** Makes one value for each kind of a plan. */
export function ofEachPlanKind<Made>(make: (kind: PlanKind) => Made): { readonly [Kind in PlanKind]: Made } {
  return {
    machines: make('machines'),
    parts: make('parts'),
    downtimeReasons: make('downtimeReasons'),
    apiKeys: make('apiKeys'),
    users: make('users'),
  };
}

/** A version of a group's plan, without its records. Versions of a group are numbered from 1 on, and never change. */
export interface PlanVersion {
  readonly groupId: string;
  readonly version: number;
  /** Wall-clock milliseconds. */
  readonly at: number;
  readonly who: string;
  readonly note: string;
  /** Records that were edited at a gateway are overwritten. */
  readonly overwrite: boolean;
  readonly records: number;
}

/** A version as a gateway gets it. */
export interface TargetPlan extends Pick<PlanVersion, 'version' | 'overwrite'> {
  readonly plan: SealedPlan;
}
