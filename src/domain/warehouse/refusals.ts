import { CodedError } from '../error.ts';

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

function shown(id: string): string {
  return id.length > MAX_ID_SHOWN ? `${id.slice(0, MAX_ID_SHOWN)}…` : id;
}
