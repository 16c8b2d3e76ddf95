import { computed, signal } from '@preact/signals';
import type { DowntimeReason, Location } from '../../domain/plant/plant.ts';
import { onEvent } from '../api/live.ts';
import { listOf } from './resource.ts';

export type Reason = DowntimeReason;

export interface Part {
  readonly partId: string;
  readonly partName: string | null;
}

/** Why machines stop here, and what they make; null until loaded. */
export const reasons = signal<readonly Reason[] | null>(null);
export const parts = signal<readonly Part[] | null>(null);

/** The reasons that a stop can be given. Archived ones are only read. */
export const offeredReasons = computed<readonly Reason[] | null>(
  () => reasons.value?.filter(({ archived }) => archived !== true) ?? null,
);

/** Places of coils. */
export const locations = signal<readonly Location[] | null>(null);

/** The text of a reason, or its id while it is not known; null without one. */
export function reasonText(reasonId: string | null): string | null {
  return reasons.value?.find(({ id }) => id === reasonId)?.reason ?? reasonId;
}

/** The name of a part, or its id while it has none. */
export function partText(partId: string): string {
  return parts.value?.find((part) => part.partId === partId)?.partName ?? partId;
}

/** After a break of the line it is loaded again, because changes may have been missed. */
export function followPlant(mayLoad: () => boolean): void {
  for (const name of ['reset', 'plant'] as const) onEvent(name, () => mayLoad() && loadPlant());
}

const lists = [
  listOf('/plant/downtimeReasons', reasons),
  listOf('/plant/parts', parts),
  listOf('/plant/locations', locations),
] as const;

export async function loadPlant(): Promise<void> {
  await Promise.all(lists.map(({ load }) => load()));
}
