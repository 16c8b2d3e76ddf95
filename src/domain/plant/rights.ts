import type { Role } from './plant.ts';

/** The lowest role that may make a call. `known` means any key or session. */
export type NeededRole = Role | 'known';

/** Each has the rights of the ones before it. */
const RANKS: readonly Role[] = ['gateway', 'business', 'technician', 'supervisor', 'admin'];

/** Whether a role is enough. A viewer reads what a technician reads, and changes nothing. */
export function isPermitted(role: Role, needed: NeededRole, isReading: boolean): boolean {
  if (needed === 'known') return true;
  if (role === 'viewer') return isReading && RANKS.indexOf(needed) <= RANKS.indexOf('technician');
  return RANKS.indexOf(role) >= RANKS.indexOf(needed);
}
