/** The surroundings of a command: output, abort signal, environment. */
export interface CommandIo {
  readonly stdout: (line: string) => void;
  readonly stderr: (line: string) => void;
  /** Asks for a secret; empty if none was given. */
  readonly readSecret: (prompt: string) => Promise<string>;
  /** Aborted by SIGINT and SIGTERM, and by SIGHUP where that means that the terminal was closed. */
  readonly signal: AbortSignal;
  /** Acts at each SIGHUP that does not come from a closed terminal. */
  readonly onHangUp: (act: () => void) => void;
  readonly environment: Readonly<NodeJS.ProcessEnv>;
}

/** Exit codes (contract.md, The program), named as in sysexits.h. */
export const EXIT = {
  done: 0,
  usage: 64,
  badData: 65,
  unavailable: 69,
  internal: 70,
  cannotCreate: 73,
  inputOutput: 74,
  tryAgain: 75,
  notPermitted: 77,
  badConfiguration: 78,
} as const;

/** The advice where root may do what this user may not. */
export const WITH_SUDO = 'Run it with sudo.';
