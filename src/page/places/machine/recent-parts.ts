import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { RecentPartView } from '../../../flows/local-api/local-api-ports.ts';
import { call } from '../../api/call.ts';

const SHOWN = 6;

/** The parts that a machine made or was set to last, the newest first; null until they are loaded. */
export function useRecentParts(machineId: string): Signal<readonly RecentPartView[] | null> {
  const recent = useSignal<readonly RecentPartView[] | null>(null);
  useEffect(() => {
    const path = `/machines/${encodeURIComponent(machineId)}/recentParts`;
    void call<readonly RecentPartView[]>('GET', path).then((outcome) => {
      if (outcome.kind === 'done') recent.value = outcome.value.slice(0, SHOWN);
    });
  }, [machineId, recent]);
  return recent;
}
