import type { CommandIo } from '../../src/cli/command-io.ts';

export interface FakeIo extends CommandIo {
  readonly out: string[];
  readonly err: string[];
  /** Ends the command like SIGTERM. */
  end(): void;
  /** Acts like SIGHUP. */
  hangUp(): void;
}

/** The surroundings of a command, for tests: lines are kept, and the test gives the signal. */
export function fakeIo(environment: Readonly<Record<string, string>> = {}, secret = ''): FakeIo {
  const controller = new AbortController();
  const out: string[] = [];
  const err: string[] = [];
  const acts: (() => void)[] = [];
  return {
    out,
    err,
    stdout: (line) => out.push(line),
    stderr: (line) => err.push(line),
    readSecret: async () => secret,
    signal: controller.signal,
    // Other gateways on this computer must not be found by the test.
    environment: { XDG_RUNTIME_DIR: '/nowhere', ...environment },
    onHangUp: (act) => acts.push(act),
    hangUp: () => {
      for (const act of acts) act();
    },
    end: () => controller.abort(),
  };
}
