import type { WorkPlanSettings } from '../shift/work-plan.ts';

/**
 * The part of its plant that a gateway tells its central server, so that production is added up there as at the gateway
 * (contract.md, Upstream; D-105). It tells it again after each change.
 */
export interface ToldPlant extends WorkPlanSettings {
  readonly machines: readonly ToldMachine[];
  readonly reasons: readonly ToldReason[];
  readonly rates: readonly ToldRate[];
}

export interface ToldMachine {
  readonly machineId: string;
  readonly name: string;
  readonly area: string | null;
  readonly idealPartsPerMinute: number | null;
  readonly targetPartsPerShift: number | null;
}

/** A reason of stops. */
export interface ToldReason {
  readonly id: string;
  readonly reason: string;
  readonly group: string;
  readonly planned: boolean | null;
}

/** The rate of a part: at this machine, or at any (null). */
export interface ToldRate {
  readonly partId: string;
  readonly machineId: string | null;
  readonly idealPartsPerMinute: number;
}

/** The most that a gateway tells of each; the rest is not known at the central server. */
export const TOLD_LIMITS = { machines: 2_000, reasons: 1_000, rates: 5_000, shifts: 24, daysOff: 1_000 } as const;
