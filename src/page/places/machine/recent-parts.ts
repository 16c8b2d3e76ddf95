import type { RecentPartView } from '../../../flows/local-api/local-api-ports.ts';
import { call } from '../../api/call.ts';
import { useLoaded } from '../../app/use-loaded.ts';

const SHOWN = 6;

/** The parts that a machine made or was set to last, the newest first; null until they are loaded. */
export function useRecentParts(machineId: string): readonly RecentPartView[] | null {
  const path = `/machines/${encodeURIComponent(machineId)}/recentParts`;
  return useLoaded(path, () => call<readonly RecentPartView[]>('GET', path)).value?.slice(0, SHOWN) ?? null;
}
