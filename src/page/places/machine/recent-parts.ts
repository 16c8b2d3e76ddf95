import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { call } from '../../api/call.ts';

/** A part that a machine made lately. */
export interface RecentPart {
  readonly partId: string;
  readonly lastMadeAt: string;
}

interface Session {
  readonly partId: string | null;
  readonly lastActiveAt: string;
}

const LOOKED_AT = 200;
const SHOWN = 6;

/** The parts that a machine made last, the newest first. */
export function useRecentParts(machineId: string): Signal<readonly RecentPart[]> {
  const recent = useSignal<readonly RecentPart[]>([]);
  useEffect(() => {
    const path = `/machines/${encodeURIComponent(machineId)}/workSessions?limit=${LOOKED_AT}`;
    void call<readonly Session[]>('GET', path).then((outcome) => {
      if (outcome.kind === 'done') recent.value = partsIn(outcome.value);
    });
  }, [machineId, recent]);
  return recent;
}

function partsIn(sessions: readonly Session[]): readonly RecentPart[] {
  const parts = new Map<string, RecentPart>();
  for (const { partId, lastActiveAt } of sessions) {
    if (partId !== null && !parts.has(partId)) parts.set(partId, { partId, lastMadeAt: lastActiveAt });
  }
  return [...parts.values()].slice(0, SHOWN);
}
