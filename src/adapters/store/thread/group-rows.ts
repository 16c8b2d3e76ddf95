import type { FleetPlanRecord } from '../../../flows/fleet-plan/fleet-plan-ports.ts';
import type { FleetUpdateRecord } from '../../../flows/fleet-update/fleet-update-ports.ts';
import type { Connection } from './database/connection.ts';
import { FleetPlanRows, isFleetPlanRecord } from './fleet-plan/fleet-plan-rows.ts';
import { FleetUpdateRows, isFleetUpdateRecord } from './fleet-plan/fleet-update-rows.ts';

/** Records about groups of gateways. */
export type GroupRecord = FleetPlanRecord | FleetUpdateRecord;

export function isGroupRecord(record: { readonly kind: string }): record is GroupRecord {
  return isFleetPlanRecord(record) || isFleetUpdateRecord(record);
}

/** Groups of gateways: their plans, and their updates. */
export class GroupRows {
  readonly plans: FleetPlanRows;
  readonly updates: FleetUpdateRows;

  constructor(connection: Connection) {
    this.plans = new FleetPlanRows(connection);
    this.updates = new FleetUpdateRows(connection);
  }

  /** To be called within a transaction. */
  write(record: GroupRecord): void {
    if (isFleetPlanRecord(record)) this.plans.write(record);
    else this.updates.write(record);
  }
}
