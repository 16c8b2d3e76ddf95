import { type ConfigRequest, type LoadedConfig, loadConfig } from '../config/load-config.ts';
import { ConfigError } from '../config/located-fault.ts';
import { type CommandIo, EXIT, WITH_SUDO } from './command-io.ts';

/** The configuration; or its faults on stderr, one a line, and the exit code. 77: another user may read it. */
export function loadConfigOrExitCode(request: ConfigRequest, io: CommandIo): LoadedConfig | number {
  try {
    return loadConfig(request);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const exitCode = printFaults(error, io);
    if (error.code !== 'not-permitted') return exitCode;
    io.stderr(WITH_SUDO);
    return EXIT.notPermitted;
  }
}

/** Prints the faults and gives the exit code. */
export function printFaults(error: ConfigError, io: CommandIo): number {
  for (const line of error.message.split('\n')) io.stderr(line);
  return EXIT.badConfiguration;
}
