import type { Now } from '../../time.ts';
import type { MachineState } from '../machine-state.ts';

/** Statuses that waited in a socket or a buffer may be late by this much. */
export const LATE_BY_MS = 60_000;

/** Whether a device can have booted since its last message: by its own count it did so no longer ago than that. */
export function bootIsPossible({ heard }: MachineState, uptimeMs: number, { monotonicMs }: Now): boolean {
  return heard === null || uptimeMs <= monotonicMs - heard.monotonicMs + LATE_BY_MS;
}

/**
 * The contradiction in a reboot: by its own count the device started long before its last message, so it cannot have
 * booted after that. Null if a reboot explains it, or if the gateway itself was away meanwhile.
 */
export function impossibleBoot(before: MachineState, after: MachineState): string | null {
  const from = before.known.mSecSinceBoot;
  const to = after.known.mSecSinceBoot;
  if (before.heard === null || before.pause !== null || from === null || to === null) return null;
  if (bootIsPossible(before, to, after.asOf)) return null;
  const elapsedMs = after.asOf.monotonicMs - before.heard.monotonicMs;
  const went = `mSecSinceBoot went back from ${from} to ${to}, ${Math.round(elapsedMs)} ms after the device was last heard`;
  return `${went}: it counts as a reboot. Send the milliseconds since the controller booted, from a clock that is never set`;
}
