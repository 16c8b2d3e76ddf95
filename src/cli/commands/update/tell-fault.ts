import { StoreOpenError } from '../../../adapters/store/store-open-error.ts';
import { CodedError, type ErrorCode } from '../../../domain/error.ts';
import { errorMessage } from '../../../domain/error-text.ts';
import { type CommandIo, EXIT } from '../../command-io.ts';

const EXIT_CODE: Readonly<Partial<Record<ErrorCode, number>>> = {
  'invalid-input': EXIT.badData,
  'not-permitted': EXIT.notPermitted,
  'store-unavailable': EXIT.inputOutput,
  held: EXIT.tryAgain,
};

/** Prints the reason for which an update stopped; gives the exit code. */
export function tellFault(error: unknown, what: string, io: CommandIo): number {
  io.stderr(`${what}: ${errorMessage(error)}.`);
  if (error instanceof StoreOpenError) return error.refusal === 'locked' ? EXIT.tryAgain : error.exitCode;
  if (error instanceof CodedError) return EXIT_CODE[error.code] ?? EXIT.internal;
  // An error of the system, for example for a missing file.
  if (error instanceof Error && 'code' in error) return EXIT.inputOutput;
  throw error;
}
