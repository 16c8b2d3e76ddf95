import type { CommandIo } from '../../src/cli/command-io.ts';

export interface FakeIo extends CommandIo {
  readonly out: string[];
  readonly err: string[];
  /** Ends as SIGTERM does. */
  end(): void;
  /** Acts as SIGHUP does. */
  hangUp(): void;
}

/** The world of a command, for tests: lines are kept, the signal is ours to give. */
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
    // Gateways that happen to run on this machine are none of the test's.
    environment: { XDG_RUNTIME_DIR: '/nowhere', ...environment },
    onHangUp: (act) => acts.push(act),
    hangUp: () => {
      for (const act of acts) act();
    },
    end: () => controller.abort(),
  };
}
