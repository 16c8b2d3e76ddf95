import { MESSAGE } from './decision.ts';
import type { MachineState } from './machine-state.ts';

/** The state of a machine as people see it at a glance; the page adds the states that soon need a person. */
export const MACHINE_CONDITIONS = ['running', 'stopped', 'off', 'held', 'fault', 'silent', 'override'] as const;
export type MachineCondition = (typeof MACHINE_CONDITIONS)[number];

/** The condition of a machine: the first that holds. `isRefused`: its messages are refused, which is like silence. */
export function conditionOf({ decision, known, span }: MachineState, isRefused: boolean): MachineCondition {
  const { message } = decision;
  const isHeldUnheard = isRefused && (message === MESSAGE.powerOff || message === MESSAGE.notResponding);
  if (message === MESSAGE.notResponding || isHeldUnheard) return 'silent';
  if (known.override === true) return 'override';
  if (message === MESSAGE.noPart || message === MESSAGE.uncategorized) return 'held';
  if (known.fault === true) return 'fault';
  if (message === MESSAGE.powerOff) return 'off';
  return span?.endedAt === null && span.activity === 'running' ? 'running' : 'stopped';
}
