import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CommanderError } from 'commander';
import { writeLocalAccess } from '../../src/adapters/system/local-access.ts';
import { createProgram } from '../../src/cli/program.ts';
import { threadEntry } from '../adapters/store/open-test-store.ts';
import { fakeIo } from './fake-io.ts';

export interface Ran {
  readonly exitCode: number | undefined;
  readonly out: readonly string[];
  readonly err: readonly string[];
}

/** The whole command line in a directory of its own, beside a gateway that runs somewhere else. */
export function programUnderTest() {
  const dir = mkdtempSync(path.join(tmpdir(), 'plantgate-cli-'));
  const config = path.join(dir, 'plantgate.yaml');
  writeFileSync(config, `dataDir: ${dir}\n`);
  const cli = {
    dir,
    /** The text typed where a secret is asked for. */
    secret: '',
    /** The variables of a service that reads the same configuration file. */
    serviceEnvironment: {} as Readonly<Record<string, string>>,
    /** Writes the access file of a gateway, like a gateway that runs on this directory. */
    standBeside: (url: string, key: string) => writeLocalAccess(dir, { url, key }),
    run: async (...words: readonly string[]): Promise<Ran> => {
      const io = fakeIo({}, cli.secret);
      let exitCode: number | undefined;
      const program = createProgram({
        io,
        request: { environment: {}, cwd: dir, hostName: 'here', timeZone: 'UTC' },
        ofService: { file: config, environment: () => cli.serviceEnvironment },
        storeThreadEntry: threadEntry,
        onExitCode: (code) => {
          exitCode = code;
        },
      });
      try {
        await program.parseAsync([...words, '--config', config], { from: 'user' });
      } catch (error) {
        if (!(error instanceof CommanderError)) throw error;
        exitCode = error.exitCode === 0 ? 0 : 64;
      }
      return { exitCode, out: io.out, err: io.err };
    },
    cleanUp: () => rmSync(dir, { recursive: true, force: true }),
  };
  return cli;
}
