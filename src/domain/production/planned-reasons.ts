import type { DowntimeReason } from '../plant/plant.ts';

/** Groups whose reasons are planned unless a reason says otherwise, in the languages of the page. */
const PLANNED_GROUPS: ReadonlySet<string> = new Set(['planned', 'setup', 'geplant', 'rüsten']);
/** Groups of breakdowns: their stops count for MTBF and MTTR. */
const BREAKDOWN_GROUPS: ReadonlySet<string> = new Set(['breakdown', 'störung', 'ausfall']);

/** Whether stops of this reason are planned, so that they do not lower the availability. */
export function isPlannedReason({ planned, group }: Pick<DowntimeReason, 'planned' | 'group'>): boolean {
  return planned ?? PLANNED_GROUPS.has(group.trim().toLowerCase());
}

export function isBreakdownReason({ group }: Pick<DowntimeReason, 'group'>): boolean {
  return BREAKDOWN_GROUPS.has(group.trim().toLowerCase());
}
