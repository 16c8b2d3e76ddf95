import { StoreOpenError } from '../adapters/store/store-open-error.ts';
import { CodedError, type ErrorCode } from '../domain/error.ts';
import { EXIT } from './command-io.ts';

const EXIT_CODE: Readonly<Partial<Record<ErrorCode, number>>> = {
  'invalid-input': EXIT.badConfiguration,
  'not-found': EXIT.badConfiguration,
  'too-large': EXIT.badConfiguration,
  conflict: EXIT.cannotCreate,
  'not-permitted': EXIT.notPermitted,
  'store-unavailable': EXIT.inputOutput,
};

/** The exit code by which a script sees the reason for which the gateway did not start (contract.md, The program). */
export function exitCodeOf(error: unknown): number {
  if (error instanceof StoreOpenError) return error.exitCode;
  return error instanceof CodedError ? (EXIT_CODE[error.code] ?? EXIT.internal) : EXIT.internal;
}
