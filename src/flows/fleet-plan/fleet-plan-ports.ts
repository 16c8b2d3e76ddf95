import type { PlanVersion } from '../../domain/fleet/plan/fleet-plan.ts';

/** A group of gateways. A gateway is in one group at most. */
export interface GatewayGroup {
  readonly groupId: string;
  readonly name: string;
  /** The version of its plan that its gateways have to apply; null: none. */
  readonly rollOut: number | null;
  /** The version that its gateways compare with what they have; null: none. */
  readonly preview: number | null;
}

/**
 * Where a gateway stands with the version that is rolled out. `waiting`: it has not said yet that it has it. `none`: nothing
 * is rolled out.
 */
export const PLAN_STANDINGS = ['none', 'waiting', 'applied', 'refused'] as const;
export type PlanStanding = (typeof PLAN_STANDINGS)[number];

/** Records of groups and plans (D-106). */
export type FleetPlanRecord =
  | { readonly kind: 'gatewayGroup'; readonly group: GatewayGroup }
  /** Its plan goes with it, and its gateways are in no group. */
  | { readonly kind: 'gatewayGroupRemoved'; readonly groupId: string }
  /** `groupId` null: it is in no group any more. */
  | { readonly kind: 'gatewayGrouped'; readonly gatewayId: string; readonly groupId: string | null }
  /** `plan`: a SealedPlan as JSON. The oldest versions beyond `keep` go, but not the one that is rolled out. */
  | { readonly kind: 'planVersion'; readonly version: PlanVersion; readonly plan: string; readonly keep: number }
  /** What this gateway itself has applied, as JSON (plan-memory.ts). */
  | { readonly kind: 'appliedPlan'; readonly json: string };

/** What a gateway has to do about plans. */
export interface PlanTarget extends Pick<GatewayGroup, 'groupId' | 'rollOut' | 'preview'> {}

export interface FleetPlanQueries {
  gatewayGroups(): Promise<{
    readonly groups: readonly GatewayGroup[];
    readonly members: readonly { readonly gatewayId: string; readonly groupId: string }[];
  }>;
  /** Null for a gateway in no group. */
  planTarget(gatewayId: string): Promise<PlanTarget | null>;
  /** The newest first. */
  planVersions(groupId: string): Promise<readonly PlanVersion[]>;
  /** A version with its SealedPlan as JSON; null if there is none. */
  planVersion(
    groupId: string,
    version: number,
  ): Promise<{ readonly version: PlanVersion; readonly plan: string } | null>;
  /** Null before the first plan. */
  appliedPlan(): Promise<string | null>;
}
