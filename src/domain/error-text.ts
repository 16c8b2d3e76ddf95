import { errorCode } from './error-code.ts';
/** The text of a caught value: an error's message, or the value itself as text. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The text of a caught value for a developer: an error's stack where it has one. */
export function errorStack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Why a port cannot be used, and what to do. `setting` is its key in the configuration. */
export function cannotListen(setting: string, host: string, port: number, error: unknown): string {
  const remedy =
    errorCode(error) === 'EACCES'
      ? `The service is not root, and this port is root's: choose a ${setting} above 1023`
      : `Choose another ${setting}, or stop the program that uses this one`;
  return `${setting}: cannot listen on ${host}:${port}: ${errorMessage(error)}. ${remedy}`;
}
