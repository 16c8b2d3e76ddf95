import type { Activity } from '../machine/records.ts';
import type { Contact } from './contact.ts';
import type { GatewayReport, MachineNeed, Need } from './gateway-health.ts';

/** The state of a machine of a gateway that sends here. `unknown`: its gateway is not heard, or has told nothing of it. */
export const RECEIVED_STATES = ['unknown', 'held', 'silent', 'fault', 'running', 'stopped', 'down', 'offline'] as const;
export type ReceivedState = (typeof RECEIVED_STATES)[number];

/** The newest facts that came of a machine. */
export interface MachineFactsThere {
  readonly machineId: string;
  readonly activity: Activity | null;
  /** The open stop; null without one. */
  readonly openStop: { readonly startedAt: number; readonly reasonId: string | null } | null;
}

/** A need of a person, and since when; null: not known. */
export interface NeedThere {
  readonly need: Need;
  readonly since: number | null;
}

/**
 * Whether a machine needs a person: as its gateway told last. A gateway that tells nothing of its condition has sent the
 * stop that waits for its reason.
 */
export function needThere({ machineId, openStop }: MachineFactsThere, report: GatewayReport | null): NeedThere | null {
  if (report !== null) {
    const told = report.health.needs.find((one) => one.machineId === machineId);
    return told === undefined ? null : { need: told.need, since: sinceOf(told, report) };
  }
  return openStop === null || openStop.reasonId !== null ? null : { need: 'held', since: openStop.startedAt };
}

function sinceOf({ forMs }: MachineNeed, { receivedAt }: GatewayReport): number | null {
  return forMs === null ? null : receivedAt - forMs;
}

/** The state that people see. Nothing that was true before its gateway fell silent is shown as if it still were. */
export function receivedState(contact: Contact, need: NeedThere | null, activity: Activity | null): ReceivedState {
  if (contact.state !== 'live') return 'unknown';
  return need?.need ?? activity ?? 'unknown';
}
