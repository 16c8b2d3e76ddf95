import type { Machine, MachineStanding } from '../plant/plant.ts';
import type { Profile } from './profile.ts';

/** The checks for a profile that is not on a machine, the most likely cause first (interface.md, Machine delivery). */
export const DELIVERY_CHECKS = ['catalog', 'fetched', 'standing', 'archived', 'stored'] as const;

export interface DeliveryCheck {
  readonly check: (typeof DELIVERY_CHECKS)[number];
  readonly holds: boolean;
}

/** The values that the checks compared, to be shown to a person. */
export interface DeliveryExplanation {
  readonly profileId: string;
  readonly machineId: string;
  readonly owningCatalogId: number;
  /** The catalogs that the machine fetches. */
  readonly catalogs: readonly number[];
  /** Null if not since the gateway started. */
  readonly lastFetchAt: string | null;
  readonly editedAt: string;
  readonly hasSerialNumber: boolean;
  readonly standing: MachineStanding;
  readonly archived: boolean;
  readonly blankWidth: number;
  readonly checks: readonly DeliveryCheck[];
}

/** Explains whether a machine has a profile. `lastFetchMs` is the wall time of its last fetch, or null if unknown. */
export function explainDelivery(profile: Profile, machine: Machine, lastFetchMs: number | null): DeliveryExplanation {
  const { profileId, owningCatalogId, archived, blankWidth, editedDate } = profile;
  const { machineId, catalogs, serialNumber, state } = machine;
  const verdicts: Readonly<Record<DeliveryCheck['check'], boolean>> = {
    catalog: catalogs.includes(owningCatalogId),
    // A fetch before the last edit did not bring it.
    fetched: lastFetchMs !== null && lastFetchMs >= Date.parse(editedDate),
    standing: state === 'active',
    archived: !archived,
    stored: blankWidth > 0,
  };
  return {
    profileId,
    machineId,
    owningCatalogId,
    catalogs,
    lastFetchAt: lastFetchMs === null ? null : new Date(lastFetchMs).toISOString(),
    editedAt: editedDate,
    hasSerialNumber: serialNumber !== null,
    standing: state,
    archived,
    blankWidth,
    checks: DELIVERY_CHECKS.map((check) => ({ check, holds: verdicts[check] })),
  };
}
