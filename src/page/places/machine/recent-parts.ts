import type { RecentPartView } from '../../../flows/local-api/local-api-ports.ts';
import { call } from '../../api/call.ts';
import { isDone } from '../../app/tell-outcome.ts';
import { useLoaded } from '../../app/use-loaded.ts';

const SHOWN = 6;
const NONE = { kind: 'done', value: [] } as const;

/**
 * The parts that a machine made or was set to last, the newest first; null until the answer has come. A refusal is told,
 * and gives none: the other parts can be selected all the same.
 */
export function useRecentParts(machineId: string): readonly RecentPartView[] | null {
  const path = `/machines/${encodeURIComponent(machineId)}/recentParts`;
  const load = async () => {
    const outcome = await call<readonly RecentPartView[]>('GET', path);
    return isDone(outcome) ? outcome : NONE;
  };
  return useLoaded(path, load).value?.slice(0, SHOWN) ?? null;
}
