import type { MachineId } from '../../domain/machine/machine-names.ts';
import type { ShiftRecord } from '../../domain/machine/records.ts';
import type { MachineRecords } from '../../domain/production/machine-figures.ts';
import type { FleetSplit, StopRow, WorkRow, WorkSplit } from '../../domain/production/production-report.ts';
import type { ProductionSums } from '../../domain/production/production-sums.ts';
import type { ShiftFigures, TopStop } from '../../domain/production/shift-figures.ts';

/** Ports for the production of machines of gateways that send here (D-105). Their ids have a slash. */

/** A machine whose records changed since its shifts were added up. */
export interface ChangedMachine {
  readonly gatewayId: string;
  readonly machineId: MachineId;
  /** The earliest time and the earliest shift date that a change touches; null: none does. */
  readonly sinceAt: number | null;
  readonly sinceDate: string | null;
  /** Counts changes: one that comes meanwhile is not lost. */
  readonly mark: number;
}

/** `from` and `to` are times, the dates those of shifts. */
export interface RecordRange {
  readonly from: number;
  readonly to: number;
  readonly fromDate: string;
  readonly toDate: string;
}

/** The shifts of a machine as they were added up. */
export interface AddedUp {
  readonly machine: Pick<ChangedMachine, 'gatewayId' | 'machineId'>;
  readonly shifts: readonly ShiftFigures[];
  /** The machine's change up to which all is added up now; null: not all yet. */
  readonly mark: number | null;
}

/** Gateways with the same production days. */
export interface FleetDays {
  readonly gatewayIds: readonly string[];
  readonly dates: readonly string[];
}

/** Null: all machines of the gateways; all shifts. */
export interface FleetScope {
  /** No gateway is in two of them. */
  readonly days: readonly FleetDays[];
  readonly machineIds: readonly string[] | null;
  readonly shiftName: string | null;
}

/** The areas of machines and the plants of gateways are not kept with what was made there. */
export type StoredSplit = Exclude<FleetSplit, 'area' | 'plant'>;

export interface FleetSums extends ProductionSums {
  readonly key: string;
  readonly topStop: TopStop;
}

/** `key` is the reason's id; null: without one. */
export interface ReasonStops extends StopRow {
  readonly gatewayId: string;
}

/** The totals of a machine's shift, as its gateway counted them. */
export interface FleetTotals extends Pick<ShiftRecord, 'shiftDate' | 'shiftName' | 'totals'> {
  readonly machineId: string;
}

export interface FleetProductionQueries {
  /** In the order of their ids, those behind `after`, at most `take`. */
  changedMachines(after: string, take: number): Promise<readonly ChangedMachine[]>;
  machineRecords(machineIds: readonly string[], range: RecordRange): Promise<readonly MachineRecords[]>;
  /** Replaces the figures of these shifts. */
  putShiftFigures(added: readonly AddedUp[]): Promise<void>;
  /** Its machines' shifts of the dates since then are to be added up anew. */
  noteChangedPlan(gatewayId: string, sinceDate: string): Promise<void>;
  /** In no order. */
  fleetSums(by: StoredSplit, scope: FleetScope): Promise<readonly FleetSums[]>;
  fleetStops(by: StoredSplit, scope: FleetScope): Promise<readonly StopRow[]>;
  fleetReasons(scope: FleetScope): Promise<readonly ReasonStops[]>;
  fleetWork(by: WorkSplit, scope: FleetScope): Promise<readonly WorkRow[]>;
  /** By machine and shift, in their order. */
  fleetTotals(gatewayId: string, shiftDate: string): Promise<readonly FleetTotals[]>;
  /** The digest of what each gateway told of its plant last. */
  toldPlants(): Promise<readonly { readonly gatewayId: string; readonly digest: string }[]>;
  /** As JSON; null: it told nothing. */
  toldPlant(gatewayId: string): Promise<string | null>;
}
