import { signal } from '@preact/signals';
import type { DowntimeReason, Location } from '../../domain/plant/plant.ts';
import { call } from '../api/call.ts';
import { onEvent } from '../api/live.ts';

export type Reason = DowntimeReason;

export interface Part {
  readonly partId: string;
  readonly partName: string | null;
}

/** Why machines stop here, and what they make; null until loaded. */
export const reasons = signal<readonly Reason[] | null>(null);
export const parts = signal<readonly Part[] | null>(null);

/** Places of coils. */
export const locations = signal<readonly Location[] | null>(null);

/** The text of a reason, or its id while it is not known; null without one. */
export function reasonText(reasonId: string | null): string | null {
  return reasons.value?.find(({ id }) => id === reasonId)?.reason ?? reasonId;
}

/** After a break of the line it is loaded again, because changes may have been missed. */
export function followPlant(mayLoad: () => boolean): void {
  for (const name of ['reset', 'plant'] as const) onEvent(name, () => mayLoad() && void loadPlant());
}

export async function loadPlant(): Promise<void> {
  const [ofReasons, ofParts, ofLocations] = await Promise.all([
    call<readonly Reason[]>('GET', '/plant/downtimeReasons'),
    call<readonly Part[]>('GET', '/plant/parts'),
    call<readonly Location[]>('GET', '/plant/locations'),
  ]);
  if (ofReasons.kind === 'done') reasons.value = ofReasons.value;
  if (ofParts.kind === 'done') parts.value = ofParts.value;
  if (ofLocations.kind === 'done') locations.value = ofLocations.value;
}
