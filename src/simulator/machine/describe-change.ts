import { isTalking, type SimulatedState } from './simulated-state.ts';

const STOPS = {
  boot: 'reboots: its counters begin at 0 again',
  setUp: 'is set up for another job',
  coilChange: 'has run its coil empty and gets another',
  break: 'stands still for a break',
  fault: 'faults',
} as const;

/** Describes in words the change of a machine between two moments; null if no change is worth a line. */
export function describeChange(before: SimulatedState, after: SimulatedState): string | null {
  const kind = after.stop?.kind;
  if (kind !== undefined && kind !== before.stop?.kind) return STOPS[kind];
  if (after.silentMs > 0 && before.silentMs === 0) return `falls silent for ${Math.round(after.silentMs / 1_000)} s`;
  if (isTalking(after) && before.silentMs > 0) return 'speaks again';
  if (after.override && !before.override) return 'is overridden by its operator';
  if (after.running && !before.running) return `runs ${after.job.part.partName} for job J-${after.job.jobNumber}`;
  return null;
}
