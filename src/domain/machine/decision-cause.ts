import { MESSAGE } from './decision.ts';
import { type MachineState, openDowntime } from './machine-state.ts';

/** Messages of a device that were refused since the last one that was taken. `since` in wall-clock milliseconds. */
export interface RefusedMessages {
  readonly count: number;
  readonly since: number;
  readonly lastAt: number;
  /** The newest reason. */
  readonly reason: string;
}

/** The exact reason for which a machine may not run (D-35). `since` in wall-clock milliseconds; null if unknown. */
export type DecisionCause =
  | { readonly kind: 'neverHeard'; readonly since: null; readonly help: string }
  | { readonly kind: 'fieldMissing'; readonly since: number | null; readonly field: string; readonly help: string }
  | { readonly kind: 'powerOff'; readonly since: number | null; readonly help: string }
  | { readonly kind: 'silent'; readonly since: number | null; readonly help: string }
  | {
      readonly kind: 'messagesRefused';
      readonly since: number;
      readonly count: number;
      readonly reason: string;
      readonly help: string;
    }
  | { readonly kind: 'noPart'; readonly since: number | null; readonly help: string }
  | {
      readonly kind: 'downtimeOpen';
      readonly since: number | null;
      readonly downtimeId: string | null;
      readonly help: string;
    };

/**
 * The cause behind the message of the failing rule; null if the machine may run. `since` is the time since which the
 * decision has that message. Refused messages explain the missing reports that the rule needs.
 */
export function causeOf(
  state: MachineState,
  refused: RefusedMessages | null,
  since: number | null,
): DecisionCause | null {
  switch (state.decision.message) {
    case MESSAGE.powerOff:
      return refused === null ? powerCause(state, since) : refusedCause(refused);
    case MESSAGE.notResponding:
      return refused === null ? silentCause(state) : refusedCause(refused);
    case MESSAGE.noPart:
      return { kind: 'noPart', since, help: 'Select a part on the page, or let the device send partId.' };
    case MESSAGE.uncategorized:
      return downtimeCause(state, since);
    case MESSAGE.internalError:
    case null:
      return null;
  }
}

function powerCause({ heard, known }: MachineState, since: number | null): DecisionCause {
  if (heard === null) {
    return {
      kind: 'neverHeard',
      since: null,
      help: 'Check address, port and topic of the device: no status came yet.',
    };
  }
  if (known.machinePower === null) {
    return { kind: 'fieldMissing', since, field: 'machinePower', help: 'Let the device send machinePower as well.' };
  }
  return { kind: 'powerOff', since, help: 'Switch the machine on: its device says machinePower false.' };
}

function silentCause({ heard }: MachineState): DecisionCause {
  const help = 'Check whether the controller is on, its cable, and the address that it sends to.';
  return { kind: 'silent', since: heard?.wallMs ?? null, help };
}

function refusedCause({ count, since, reason }: RefusedMessages): DecisionCause {
  return { kind: 'messagesRefused', since, count, reason, help: 'Correct what the device sends; the reason says it.' };
}

function downtimeCause(state: MachineState, since: number | null): DecisionCause {
  const open = openDowntime(state);
  const isWaiting = open !== null && state.uncategorized.includes(open.downtimeId);
  const downtimeId = isWaiting ? open.downtimeId : (state.uncategorized[0] ?? null);
  const help = 'Say why the machine stopped: give the downtime a reason.';
  return { kind: 'downtimeOpen', since: isWaiting ? open.startedAt : since, downtimeId, help };
}
