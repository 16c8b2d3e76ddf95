import type { PlanVersion } from '../../../../domain/fleet/plan/fleet-plan.ts';
import type { FleetPlanRecord, GatewayGroup, PlanTarget } from '../../../../flows/fleet-plan/fleet-plan-ports.ts';
import type { Answered } from '../../protocol.ts';
import type { Connection } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { appliedPlan, gatewayGroup, groupedGateway, planVersion } from '../database/schema/fleet.ts';

const KINDS: ReadonlySet<string> = new Set(
  Object.keys({
    gatewayGroup: 0,
    gatewayGroupRemoved: 0,
    gatewayGrouped: 0,
    planVersion: 0,
    appliedPlan: 0,
  } satisfies Record<FleetPlanRecord['kind'], 0>),
);

/** Whether a record is about groups of gateways and their plans. */
export function isFleetPlanRecord(record: { readonly kind: string }): record is FleetPlanRecord {
  return KINDS.has(record.kind);
}

type VersionRow = Omit<PlanVersion, 'overwrite'> & { readonly overwrite: 0 | 1 };

const GROUP = 'group_id AS groupId, name, roll_out AS rollOut, preview';
const VERSION = 'group_id AS groupId, version, at, who, note, overwrite, records';

/** Groups of gateways and the versions of their plans. Each record replaces the one under its key. */
export class FleetPlanRows {
  readonly #putGroup;
  readonly #putMember;
  readonly #putVersion;
  readonly #putApplied;
  readonly #removeMember;
  readonly #removeGroup;
  readonly #bound;
  readonly #groups;
  readonly #members;
  readonly #target;
  readonly #versions;
  readonly #version;
  readonly #applied;

  constructor(connection: Connection) {
    const or = 'REPLACE';
    this.#putGroup = insertInto(connection, gatewayGroup, { or });
    this.#putMember = insertInto(connection, groupedGateway, { or });
    this.#putVersion = insertInto(connection, planVersion, { or });
    this.#putApplied = insertInto(connection, appliedPlan, { or });
    this.#removeMember = connection.prepare<[string]>('DELETE FROM grouped_gateway WHERE gateway_id = ?');
    this.#removeGroup = ['gateway_group', 'grouped_gateway', 'plan_version', 'group_update'].map((table) =>
      connection.prepare<[string]>(`DELETE FROM ${table} WHERE group_id = ?`),
    );
    this.#bound = connection.prepare<{ groupId: string; oldest: number }>(
      `DELETE FROM plan_version WHERE group_id = @groupId AND version < @oldest
       AND version NOT IN (SELECT roll_out FROM gateway_group WHERE group_id = @groupId AND roll_out IS NOT NULL)`,
    );
    this.#groups = connection.prepare<[], GatewayGroup>(`SELECT ${GROUP} FROM gateway_group ORDER BY name, group_id`);
    this.#members = connection.prepare<[], { gatewayId: string; groupId: string }>(
      'SELECT gateway_id AS gatewayId, group_id AS groupId FROM grouped_gateway ORDER BY gateway_id',
    );
    this.#target = connection.prepare<[string], PlanTarget>(
      `SELECT group_id AS groupId, roll_out AS rollOut, preview FROM gateway_group
       WHERE group_id = (SELECT group_id FROM grouped_gateway WHERE gateway_id = ?)`,
    );
    this.#versions = connection.prepare<[string], VersionRow>(
      `SELECT ${VERSION} FROM plan_version WHERE group_id = ? ORDER BY version DESC`,
    );
    this.#version = connection.prepare<[string, number], VersionRow & { readonly plan: string }>(
      `SELECT ${VERSION}, plan FROM plan_version WHERE group_id = ? AND version = ?`,
    );
    this.#applied = connection.prepare<[], string>('SELECT json FROM applied_plan WHERE id = 1').pluck();
  }

  /** To be called within a transaction. */
  write(record: FleetPlanRecord): void {
    switch (record.kind) {
      case 'gatewayGroup':
        this.#putGroup(record.group);
        return;
      case 'gatewayGroupRemoved':
        for (const statement of this.#removeGroup) statement.run(record.groupId);
        return;
      case 'gatewayGrouped': {
        const { gatewayId, groupId } = record;
        if (groupId === null) this.#removeMember.run(gatewayId);
        else this.#putMember({ gatewayId, groupId });
        return;
      }
      case 'planVersion': {
        const { version, plan, keep } = record;
        this.#putVersion({ ...version, overwrite: version.overwrite ? 1 : 0, plan });
        this.#bound.run({ groupId: version.groupId, oldest: version.version - keep + 1 });
        return;
      }
      case 'appliedPlan':
        this.#putApplied({ id: 1, json: record.json });
    }
  }

  groups(): Answered<'gatewayGroups'> {
    return { groups: this.#groups.all(), members: this.#members.all() };
  }

  target(gatewayId: string): PlanTarget | null {
    return this.#target.get(gatewayId) ?? null;
  }

  versions(groupId: string): readonly PlanVersion[] {
    return this.#versions.all(groupId).map(versionOf);
  }

  version(groupId: string, version: number): Answered<'planVersion'> {
    const row = this.#version.get(groupId, version);
    if (row === undefined) return null;
    const { plan, ...rest } = row;
    return { version: versionOf(rest), plan };
  }

  applied(): string | null {
    return this.#applied.get() ?? null;
  }
}

function versionOf({ overwrite, ...row }: VersionRow): PlanVersion {
  return { ...row, overwrite: overwrite === 1 };
}
