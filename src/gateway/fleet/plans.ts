import { PLAN_ENTRY_SHAPES, SEALED_SHAPES } from '../../config/plant-file/plan-shapes.ts';
import { FleetPlans } from '../../flows/fleet-plan/fleet-plans.ts';
import { GatewayGroups } from '../../flows/fleet-plan/gateway-groups.ts';
import { PlanApplier } from '../../flows/fleet-plan/plan-applier.ts';
import { PlanFollower, type PlanFollowerOptions } from '../../flows/fleet-plan/plan-follower.ts';
import { PlanSource } from '../../flows/fleet-plan/plan-source.ts';
import { ShiftsOfPlan } from '../../flows/fleet-plan/shifts-of-plan.ts';
import { tellPlanOutcome } from '../../flows/fleet-plan/tell-plan-outcome.ts';
import type { FleetArchives } from '../../flows/fleet-update/fleet-archives.ts';
import type { Fleet } from '../../flows/receive/fleet.ts';
import type { ChangeSettings } from '../../flows/settings/change-settings.ts';
import { after } from '../../runtime/after.ts';
import type { Base } from '../gateway-parts.ts';

export interface Plans {
  readonly groups: GatewayGroups;
  readonly fleetPlans: FleetPlans;
  /** Null if this gateway has a central server itself. */
  readonly planSource: PlanSource | null;
}

/** Puts together the groups of gateways that send here, and their plans. */
export function openPlans(
  { store, plant, secrets, clock, newId }: Pick<Base, 'store' | 'plant' | 'secrets' | 'clock' | 'newId'>,
  fleet: Fleet | null,
  archives: FleetArchives,
): Plans {
  const groups = new GatewayGroups({ store, fleet, newId });
  const own = (kind: 'apiKeys' | 'users', id: string) =>
    kind === 'users' ? plant.users().find(({ name }) => name === id) : plant.apiKeys().find((key) => key.id === id);
  return {
    groups,
    fleetPlans: new FleetPlans({ store, groups, own, secrets, shapes: PLAN_ENTRY_SHAPES, clock }),
    planSource: fleet === null ? null : new PlanSource({ store, archives, fleet }),
  };
}

/** Puts together the following of the central server's plan. */
export function openPlanFollower(
  { config, store, plant, audit, incidents, clock, log }: Base,
  {
    settings,
    ...parts
  }: Pick<PlanFollowerOptions, 'server' | 'isConnected' | 'onUpdate' | 'onNews'> & {
    readonly settings: ChangeSettings;
  },
): PlanFollower {
  const follower = new PlanFollower({
    ...parts,
    store,
    applier: new PlanApplier(plant, new ShiftsOfPlan(settings)),
    shapes: SEALED_SHAPES,
    gatewayId: config.gatewayId,
    clock,
    after,
    onOutcome: (version, outcome) => tellPlanOutcome({ audit, incidents }, version, outcome),
    log,
  });
  plant.onChange(() => follower.plantChanged());
  settings.onChange(() => follower.plantChanged());
  return follower;
}
