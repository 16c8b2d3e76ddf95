import { CodedError, foundText } from '../error.ts';

/** The refusals whose words the interface fixes (interface.md, Errors). */

/** Characters of an id in a refusal; a longer id is shortened there. */
const MAX_ID_SHOWN = 128;

export function noSuchTask(taskId: string): CodedError {
  return new CodedError('not-found', `No warehouse task with id ${shown(taskId)}`);
}

export function noSuchCoil(coilId: string): CodedError {
  return new CodedError('not-found', `No coil with id ${shown(coilId)}`);
}

export function notLicensed(): CodedError {
  return new CodedError('not-licensed', 'NotLicensedForMachineWarehouse');
}

const AGENT_NOT_AVAILABLE = 'AgentNotAvailable';

/** The legacy agent is offline: nothing changed, here or there. */
export function agentNotAvailable(): CodedError {
  return new CodedError('agent-unavailable', AGENT_NOT_AVAILABLE);
}

/** The refusal while it is unknown whether the last write of a coil reached the legacy system (D-16). */
export function writeUnconfirmed(coilId: string): CodedError {
  return new CodedError('outcome-unknown', AGENT_NOT_AVAILABLE, [
    { path: 'legacyAgent', found: 'no answer', expected: 'an answer', sentence: AGENT_NOT_AVAILABLE },
    {
      path: 'coilId',
      found: foundText(coilId),
      expected: 'a coil whose last write is settled',
      sentence: `The outcome of the last write to coil ${shown(coilId)} is unknown. It settles by itself once the legacy system answers; try again then.`,
    },
  ]);
}

/**
 * The refusal while earlier operations on the task wait for the central server, which must get them first (D-17):
 * nothing changed.
 */
export function taskNotDrained(taskId: string): CodedError {
  return new CodedError('agent-unavailable', AGENT_NOT_AVAILABLE, [
    { path: 'upstream', found: 'no answer', expected: 'an answer', sentence: AGENT_NOT_AVAILABLE },
    {
      path: 'taskId',
      found: foundText(taskId),
      expected: 'a task whose operations were all sent',
      sentence: `Earlier operations of task ${shown(taskId)} have not reached the central server. They are sent once it answers; try again then.`,
    },
  ]);
}

/** The answer of an agent that refuses a write. */
export interface AgentRefusal {
  readonly message: string;
  /** The sentences, if it gives several. */
  readonly sentences?: readonly string[];
  /** The meaning of the refusal, if the agent gives one. */
  readonly code?: 'not-licensed' | 'not-found';
}

/** The legacy system refused: nothing changed, here or there. */
export function rejectedByAgent({ message, sentences = [], code }: AgentRefusal): CodedError {
  const faults = sentences.map((sentence) => ({ path: 'legacyAgent', found: 'a refusal', expected: 'none', sentence }));
  return new CodedError(code ?? 'invalid-input', message, faults);
}

function shown(id: string): string {
  return id.length > MAX_ID_SHOWN ? `${id.slice(0, MAX_ID_SHOWN)}…` : id;
}
