import type { PlanReport } from './plan/plan-report.ts';
import type { UpdateReport } from './update/update-report.ts';

/**
 * The condition of a gateway as it tells it to its central server (contract.md, Upstream; D-97). Durations instead of
 * times, because the two clocks may differ.
 */
export interface GatewayHealth {
  readonly version: string;
  readonly timeZone: string;
  readonly machines: number;
  /** Records and points that wait for the central server. */
  readonly queue: { readonly records: number; readonly oldestAgeMs: number };
  /** Dead letters. */
  readonly setAside: number;
  readonly openAlerts: number;
  /** Null: the disk gave no answer. `leastPercent`: the limit of the gateway's own rule. */
  readonly disk: { readonly freePercent: number; readonly leastPercent: number } | null;
  /** Null: the disk of the backups gave no answer. `newestAgeMs`: null without a backup. */
  readonly backups: { readonly newestAgeMs: number | null } | null;
  /** The time until the first certificate expires, below 0 if it has; null without one. */
  readonly certificateLeftMs: number | null;
  /** The report before this one; null for the first. */
  readonly exchange: ClockExchange | null;
  /** The machines that need a person, at most `MAX_NEEDS`. */
  readonly needs: readonly MachineNeed[];
  /** The plan of its group (D-106); left out by an earlier version, null in no group. */
  readonly plan?: PlanReport | null;
  /** Updates from the central server (D-107); left out by an earlier version. */
  readonly update?: UpdateReport;
}

/** `held`: it may not run until somebody acts; `silent`: it does not respond; `fault`: its device says so. */
export const NEEDS = ['held', 'silent', 'fault'] as const;
export type Need = (typeof NEEDS)[number];

/** A machine that needs a person. `forMs` null: it is not known since when. */
export interface MachineNeed {
  readonly machineId: string;
  readonly name: string;
  readonly need: Need;
  readonly forMs: number | null;
}

/** The machines of one gateway that it tells to need a person; more of them are another trouble. */
export const MAX_NEEDS = 200;

/** A request to the central server by the gateway's clock, and the answer's time by the clock there. */
export interface ClockExchange {
  readonly sentAt: number;
  readonly roundTripMs: number;
  readonly receivedAt: number;
}

/** How far the gateway's clock is ahead, and by how much that may be wrong. */
export interface ClockError {
  readonly aheadMs: number;
  readonly withinMs: number;
}

/** The request was on its way for some part of the round trip: half of it is taken, and may be wrong by as much. */
export function clockError({ sentAt, roundTripMs, receivedAt }: ClockExchange): ClockError {
  const withinMs = roundTripMs / 2;
  return { aheadMs: sentAt + withinMs - receivedAt, withinMs };
}

/** A report, and when it came, by the clock of the central server. */
export interface GatewayReport {
  readonly receivedAt: number;
  readonly health: GatewayHealth;
}
