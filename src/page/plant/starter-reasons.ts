import type { DowntimeReason, ReasonIcon } from '../../domain/plant/plant.ts';
import { call, type Outcome } from '../api/call.ts';
import type { Words } from '../words/english.ts';

type Starter = Words['starterReasons'];

/** The usual ones come first, because the page shows the first eight as large buttons. The words decide nothing here. */
const SET: readonly (readonly [keyof Starter['reasons'], keyof Starter['groups'], ReasonIcon])[] = [
  ['coilChange', 'planned', 'coil'],
  ['setUp', 'setUp', 'swap'],
  ['jam', 'breakdown', 'downtime'],
  ['tool', 'breakdown', 'wrench'],
  ['noMaterial', 'waiting', 'truck'],
  ['noOrder', 'waiting', 'hourglass'],
  ['cleaning', 'planned', 'broom'],
  ['break', 'planned', 'cup'],
  ['drive', 'breakdown', 'bolt'],
  ['electrical', 'breakdown', 'plug'],
];

/** Ten reasons for a plant that has none, in the language of the page (D-57). */
export function starterReasons({ reasons, groups }: Starter): readonly DowntimeReason[] {
  return SET.map(([reason, group, icon], place) => ({
    id: `DT-${String(place + 1).padStart(2, '0')}`,
    reason: reasons[reason],
    group: groups[group],
    icon,
  }));
}

/** Adds reasons as one plant file: all or none, and twice is the same as once. */
export async function takeReasons(reasons: readonly DowntimeReason[]): Promise<Outcome<unknown>> {
  const begun = await call<{ readonly loadId: string }>('POST', '/plant/loads');
  if (begun.kind !== 'done') return begun;
  const load = `/plant/loads/${begun.value.loadId}`;
  const filled = await call('POST', `${load}/records/downtimeReasons`, reasons);
  return filled.kind === 'done' ? call('POST', `${load}/finish`, { dryRun: false }) : filled;
}
