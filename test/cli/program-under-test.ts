import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CommanderError } from 'commander';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { writeLocalAccess } from '../../src/adapters/system/local-access.ts';
import type { CommandIo } from '../../src/cli/command-io.ts';
import { createProgram } from '../../src/cli/program.ts';
import { threadEntry } from '../adapters/store/open-test-store.ts';

export interface Ran {
  readonly exitCode: number | undefined;
  readonly out: readonly string[];
  readonly err: readonly string[];
}

/** The whole command line in a directory of its own, beside a gateway that runs somewhere else. */
export function programUnderTest() {
  const cli = {
    dir: newDirectory(),
    /** The text typed where a secret is asked for. */
    secret: '',
    /** The variables of a service that reads the same configuration file. */
    serviceEnvironment: {} as Readonly<Record<string, string>>,
    /** Writes the access file of a gateway, like a gateway that runs on this directory. */
    standBeside: (url: string, key: string) => writeLocalAccess(cli.dir, { url, key }),
    run: async (...words: readonly string[]): Promise<Ran> => {
      const io = fakeIo({}, cli.secret);
      const config = path.join(cli.dir, 'plantgate.yaml');
      let exitCode: number | undefined;
      const program = createProgram({
        io,
        request: { environment: {}, cwd: cli.dir, hostName: 'here', timeZone: 'UTC' },
        ofService: (file) => (file === config ? cli.serviceEnvironment : {}),
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
    cleanUp: () => rmSync(cli.dir, { recursive: true, force: true }),
  };
  return cli;
}

function newDirectory(): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'plantgate-cli-'));
  writeFileSync(path.join(dir, 'plantgate.yaml'), `dataDir: ${dir}\n`);
  return dir;
}

/** The command line with a new directory for each test of a file. */
export function useCli() {
  const cli = programUnderTest();
  cli.cleanUp();
  beforeEach(() => {
    Object.assign(cli, { dir: newDirectory(), secret: '', serviceEnvironment: {} });
  });
  afterEach(() => cli.cleanUp());
  return cli;
}

/** The command line beside a gateway that answers each request as the file of tests says. */
export function useCliBeside(answer: (path: string, response: ServerResponse) => void) {
  const cli = useCli();
  const requests: AskedRequest[] = [];
  let server: AnsweringServer;
  beforeAll(async () => {
    server = await answeringServer((place, response) => {
      const asked = server.requests.at(-1);
      if (asked === undefined) throw new Error('it answers requests');
      requests.push(asked);
      answer(place, response);
    });
  });
  beforeEach(async () => {
    requests.length = 0;
    await cli.standBeside(server.url, 'key');
  });
  afterAll(() => server.close());
  return { cli, requests };
}

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

const NOBODY = 65_534;

/** Acts as another user, because root may read everything. Modules that it needs must be loaded before. */
export async function asNobody<Result>(act: () => Promise<Result>): Promise<Result> {
  if (process.geteuid?.() !== 0) return await act();
  process.seteuid?.(NOBODY);
  try {
    return await act();
  } finally {
    process.seteuid?.(0);
  }
}

interface AskedRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string;
  readonly body: string;
}

export interface AnsweringServer {
  readonly url: string;
  readonly port: number;
  readonly requests: AskedRequest[];
  close(): Promise<void>;
}

/** An HTTP server that treats each request as the test says; `answer` may leave it without an end. */
export async function answeringServer(
  answer: (path: string, response: ServerResponse) => void,
  port = 0,
): Promise<AnsweringServer> {
  const requests: AskedRequest[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const { method = '', url: path = '', headers } = request;
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      requests.push({ method, path, authorization: headers.authorization ?? '', body });
      answer(path, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
