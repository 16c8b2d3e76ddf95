import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { GatewayView } from '../../../../flows/receive/gateway-view.ts';
import { call, type Outcome } from '../../../api/call.ts';
import { Choose } from '../../../app/choose.tsx';
import { SearchField } from '../../../app/search-field.tsx';
import { useResource } from '../../../app/use-resource.ts';
import { mayRead } from '../../../people/who.ts';
import { plantName, seesSeveral } from '../../../several-plants/own-plants.ts';
import { fleetWords } from '../fleet-words.ts';
import { GROUPS, type GroupView } from '../groups/use-groups.ts';

/** Fewer gateways are found by looking. */
const SEARCHED_FROM = 8;
const LOOK_AGAIN_MS = 60_000;

interface GatewayFilter {
  /** Whether a gateway is of the chosen group, and has the typed text in its name, its id or the name of its plant. */
  readonly passes: (gateway: GatewayView) => boolean;
  readonly fields: ComponentChildren;
}

/** The choice of a group, and a search where there are many gateways. Groups are for supervisors and above. */
export function useGatewayFilter(gatewayCount: number): GatewayFilter {
  const sought = useSignal('');
  const chosen = useSignal('');
  const groups = useResource('groups', askGroups, { everyMs: LOOK_AGAIN_MS }).value ?? [];
  const { find, groups: texts } = fleetWords.value;
  const group = groups.find(({ groupId }) => groupId === chosen.value);
  const members = group && new Set(group.gateways.map(({ gatewayId }) => gatewayId));
  const text = sought.value.trim().toLowerCase();
  return {
    passes: ({ gatewayId, name, plantId }) =>
      members?.has(gatewayId) !== false &&
      [gatewayId, name ?? '', seesSeveral() ? plantName(plantId) : ''].some((one) => one.toLowerCase().includes(text)),
    fields: (
      <>
        {gatewayCount >= SEARCHED_FROM && (
          <SearchField label={find} value={sought.value} onSearch={(typed) => (sought.value = typed)} />
        )}
        {groups.length > 0 && (
          <Choose
            label={texts.group}
            value={group === undefined ? '' : chosen.value}
            options={[['', texts.all], ...groups.map(({ groupId, name }) => [groupId, name] as const)]}
            onChoose={(groupId) => (chosen.value = groupId)}
          />
        )}
      </>
    ),
  };
}

async function askGroups(): Promise<Outcome<readonly GroupView[]>> {
  return mayRead('supervisor') ? call('GET', GROUPS) : { kind: 'done', value: [] };
}
