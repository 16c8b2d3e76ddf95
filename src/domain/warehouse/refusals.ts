import { CodedError, foundText } from '../error.ts';

/** The refusals whose words the interface fixes (interface.md, Errors). */

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

/** Whether the last write of a coil reached the legacy system is not known yet (D-16). */
export function writeInDoubt(coilId: string): CodedError {
  return new CodedError('agent-unavailable', AGENT_NOT_AVAILABLE, [
    { path: 'legacyAgent', found: 'no answer', expected: 'an answer', sentence: AGENT_NOT_AVAILABLE },
    {
      path: 'coilId',
      found: `${foundText(coilId)}, whose last write to the legacy system is in doubt`,
      expected: 'a coil without doubt; it settles by itself once the agent answers: try again then',
    },
  ]);
}

/** The legacy system said no: nothing changed, here or there. */
export function rejectedByAgent(message: string): CodedError {
  return new CodedError('invalid-input', message);
}

function shown(id: string): string {
  return id.length > MAX_ID_SHOWN ? `${id.slice(0, MAX_ID_SHOWN)}…` : id;
}
