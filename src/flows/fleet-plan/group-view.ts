import type { PlanVersion } from '../../domain/fleet/plan/fleet-plan.ts';
import type { PlanReport } from '../../domain/fleet/plan/plan-report.ts';
import { isoTime } from '../../domain/time.ts';
import { contactView, type ToldGateway } from '../receive/gateway-view.ts';
import type { GatewayGroup, PlanStanding } from './fleet-plan-ports.ts';

/** A gateway of a group; `gateway` null: this central server has not looked at it yet. */
interface Member {
  readonly gatewayId: string;
  readonly gateway: Pick<ToldGateway, 'plantId' | 'name' | 'contact' | 'lastContactAt' | 'told'> | null;
}

/** A group of gateways, as `/api/local/fleet/groups` shows it. */
export function groupView(group: GatewayGroup, newest: PlanVersion | null, members: readonly Member[]) {
  return {
    ...group,
    newest: newest === null ? null : versionView(newest),
    gateways: members.map((member) => memberView(group, member)),
  };
}

export type GroupView = ReturnType<typeof groupView>;

function memberView({ groupId, rollOut, preview }: GatewayGroup, { gatewayId, gateway }: Member) {
  const report = gateway?.told ?? null;
  const told = report?.health.plan ?? null;
  const own = told?.groupId === groupId ? told : null;
  const appliedForMs = own?.appliedForMs ?? null;
  return {
    gatewayId,
    plantId: gateway?.plantId ?? null,
    name: gateway?.name ?? null,
    contact: gateway === null ? null : contactView(gateway.contact, gateway.lastContactAt),
    standing: standingOf(rollOut, own),
    version: own?.version ?? null,
    appliedAt: report === null || appliedForMs === null ? null : isoTime(report.receivedAt - appliedForMs),
    refused: own?.refused ?? null,
    deviationCount: own?.deviationCount ?? 0,
    deviations: own?.deviations ?? [],
    preview: preview !== null && own?.preview?.version === preview ? own.preview : null,
  };
}

function standingOf(rollOut: number | null, report: PlanReport | null): PlanStanding {
  if (rollOut === null) return 'none';
  if (report?.refused?.version === rollOut) return 'refused';
  return report?.version === rollOut ? 'applied' : 'waiting';
}

export function versionView({ version, at, who, note, overwrite, records }: PlanVersion) {
  return { version, at: isoTime(at), who, note, overwrite, records };
}

export type VersionView = ReturnType<typeof versionView>;
