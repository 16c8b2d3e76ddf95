import { useSignal } from '@preact/signals';
import type { GroupView } from '../../../../flows/fleet-plan/group-view.ts';
import { call } from '../../../api/call.ts';
import { useResource } from '../../../app/use-resource.ts';
import { isForAllPlants, mayRead } from '../../../people/who.ts';

export type { GroupView };
export type MemberView = GroupView['gateways'][number];

export const GROUPS = '/fleet/groups';
/** Gateways answer within seconds. */
const LOOK_AGAIN_MS = 5_000;

/** The groups of gateways; null until they have come. */
export function useGroups() {
  const loads = useSignal(0);
  const groups = useResource<readonly GroupView[]>(`groups ${loads.value}`, () => call('GET', GROUPS), {
    everyMs: LOOK_AGAIN_MS,
    tellsRefusal: true,
  });
  return {
    groups: groups.value,
    reload: () => {
      loads.value += 1;
    },
  };
}

export function pathOfGroup({ groupId }: Pick<GroupView, 'groupId'>): string {
  return `${GROUPS}/${encodeURIComponent(groupId)}`;
}

/** Gateways that do not have the version that is rolled out. */
export function without({ gateways }: GroupView): readonly MemberView[] {
  return gateways.filter(({ standing }) => standing === 'waiting' || standing === 'refused');
}

/** Groups, their plans and updates belong to the whole server. */
export function mayChangeGroups(): boolean {
  return mayRead('admin') && isForAllPlants();
}
