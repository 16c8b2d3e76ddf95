import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import Database from 'better-sqlite3';
import { writeUpdate } from '../../../../build/update-archive.ts';
import { APPLICATION_ID } from '../../../../src/adapters/store/thread/database/connection.ts';
import { NEWEST_SCHEMA } from '../../../../src/adapters/store/thread/database/migrations.ts';
import { LOCAL_ACCESS_FILE } from '../../../../src/adapters/system/local-access.ts';
import { installationIn } from '../../../../src/cli/commands/service/installation.ts';
import { type Disk, realDisk } from '../../../../src/cli/commands/update/disk.ts';
import { resumeUpdate, runUpdate, type UpdateOptions } from '../../../../src/cli/commands/update/update.ts';
import type { ServiceControl, UpdateParts } from '../../../../src/cli/commands/update/update-parts.ts';
import { type UpdatePlaces, updatePlaces } from '../../../../src/cli/commands/update/update-places.ts';
import { type FakeIo, fakeIo } from '../../program-under-test.ts';

/** The behaviour of a program when it is started. */
export type Behaviour = 'serves' | 'hangs' | 'crashes' | 'failsMigration' | 'says78';

export interface FakeProgram {
  readonly version: string;
  readonly schema: number;
  readonly behaviour: Behaviour;
}

export const OLD: FakeProgram = { version: '1.0.0', schema: NEWEST_SCHEMA, behaviour: 'serves' };
export const KEYS = generateKeyPairSync('ed25519');

/** The moment of a power cut: the act, and its progress. */
export interface PowerCut {
  readonly act: number;
  readonly when: 'before' | 'midway' | 'after';
}

/** A directory in memory if there is one, so that hundreds of updates need not wait for a disk. */
export const DISK = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

class PowerIsOff extends Error {}

/** A computer with an installed program, a database and a service, whose power may be cut. */
export class UpdateWorld {
  readonly root = mkdtempSync(path.join(DISK, 'plantgate-update-'));
  readonly places: UpdatePlaces;
  readonly dataDir: string;
  readonly archive: string;
  /** The version that runs and serves. */
  serving: string | null = null;
  /** Acknowledged by a program that served; each has its row. */
  readonly acknowledged: string[] = [];
  acts = 0;
  #failure: string | null = null;
  #cut: PowerCut | null = null;
  #hasPower = true;
  #nowMs = 0;

  constructor() {
    const installation = installationIn(this.root);
    this.places = updatePlaces(installation);
    this.dataDir = installation.dataDir;
    this.archive = path.join(this.root, 'new.update');
    for (const dir of [path.dirname(installation.binary), this.dataDir]) mkdirSync(dir, { recursive: true });
    writeFileSync(installation.binary, textOf(OLD));
    for (const dataDir of this.#dataDirs) {
      mkdirSync(dataDir, { recursive: true });
      this.database((connection) => {
        connection.pragma(`application_id = ${APPLICATION_ID}`);
        connection.pragma(`user_version = ${OLD.schema}`);
        connection.exec('CREATE TABLE acknowledged (record TEXT)');
      }, dataDir);
    }
    this.start();
  }

  async pack(program: FakeProgram, arch = process.arch as string, key = KEYS.privateKey): Promise<void> {
    const binary = path.join(this.root, 'new-program');
    writeFileSync(binary, textOf(program));
    const { version, schema } = program;
    await writeUpdate(this.archive, { binary, version, arch, schema, created: new Date(0) }, key);
  }

  /** Runs `plantgate update`; null if the power was cut. */
  async update(
    options: Partial<UpdateOptions> = {},
    parts: Partial<UpdateParts> = {},
  ): Promise<{ exitCode: number; io: FakeIo } | null> {
    const io = fakeIo();
    const standard = { file: this.archive, trustedKeys: [KEYS.publicKey], checkOnly: false, allowDowngrade: false };
    const whole = { ...standard, waitMs: 5_000, ...options };
    const exitCode = await this.#untilPowerIsCut(() => runUpdate(whole, { ...this.parts(), ...parts }, io));
    return exitCode === null ? null : { exitCode, io };
  }

  /** Starts the computer: an interrupted update is settled, then the service starts. */
  async boot(cut: PowerCut | null = null): Promise<{ io: FakeIo } | null> {
    this.cutPower(cut);
    const io = fakeIo();
    if (existsSync(this.places.journal)) {
      JSON.parse(readFileSync(this.places.previous, 'utf8'));
      const exitCode = await this.#untilPowerIsCut(() => resumeUpdate(this.parts(), io));
      if (exitCode === null) return null;
      if (exitCode !== 0) throw new Error(`settling ended with ${exitCode}: ${io.err.join(' ')}`);
    }
    this.start();
    return { io };
  }

  cutPower(cut: PowerCut | null): void {
    this.#cut = cut;
    this.#hasPower = true;
    this.acts = 0;
  }

  parts(): UpdateParts {
    return {
      places: this.places,
      dataDir: this.dataDir,
      disk: this.#disk(),
      present: { version: this.installed().version, arch: process.arch, schema: OLD.schema },
      service: this.#service(),
      versionOf: (file) => programIn(file).version,
      servingVersion: async () => this.serving,
      backUp: async (file) => {
        this.#act(() => writeFileSync(file, 'a backup'));
        // Machines go on until the service stops.
        this.#acknowledge(`${this.serving} after the backup`);
        return 0;
      },
      monotonicMs: () => this.#nowMs,
      wait: async (ms) => {
        this.#nowMs += ms;
      },
      now: () => new Date(this.#nowMs),
    };
  }

  installed(): FakeProgram {
    return programIn(this.places.binary);
  }

  /** The records that are on disk. Both plants have the same, or the difference is shown. */
  records(): readonly string[] {
    const [first, second] = this.#dataDirs.map((dataDir) =>
      this.database(
        (connection) => connection.prepare('SELECT record FROM acknowledged').pluck().all() as string[],
        dataDir,
      ),
    );
    return isDeepStrictEqual(first, second) ? (first ?? []) : [`${first}`, `but in the second plant: ${second}`];
  }

  /** The newest schema of the plants. */
  schema(): number {
    const schemaIn = (dataDir: string) =>
      this.database((connection) => Number(connection.pragma('user_version', { simple: true })), dataDir);
    return Math.max(...this.#dataDirs.map(schemaIn));
  }

  cleanUp(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  database<Result>(act: (connection: Database.Database) => Result, dataDir = this.dataDir): Result {
    const connection = new Database(path.join(dataDir, 'plantgate.db'));
    connection.pragma('synchronous = OFF');
    try {
      return act(connection);
    } finally {
      connection.close();
    }
  }

  /** Starts the installed program. */
  start(): void {
    const { version, schema, behaviour } = this.installed();
    this.serving = null;
    this.#failure = null;
    const present = this.schema();
    if (present > schema || behaviour === 'says78') {
      this.#failure = 'systemd has given it up';
      return;
    }
    if (behaviour === 'crashes') this.#failure = 'it ended 3 times';
    const reached = behaviour === 'failsMigration' ? Math.min(schema, present + 1) : schema;
    for (const dataDir of this.#dataDirs) {
      this.database((connection) => connection.pragma(`user_version = ${reached}`), dataDir);
    }
    if (behaviour === 'failsMigration') this.#failure = 'it ended 3 times';
    if (behaviour !== 'serves') return;
    this.#acknowledge(`${version} serves`);
    const fresh = path.join(this.dataDir, 'access');
    writeFileSync(fresh, version);
    renameSync(fresh, path.join(this.dataDir, LOCAL_ACCESS_FILE));
    this.serving = version;
  }

  /** Of a central server with two plants (D-108). */
  get #dataDirs(): readonly string[] {
    return [this.dataDir, path.join(this.dataDir, 'plants', 'tulsa')];
  }

  #service(): ServiceControl {
    return {
      stop: async () => this.#act(() => this.#halt()),
      start: async () => this.#act(() => this.start()),
      failure: () => this.#failure,
      guardStart: () => this.#act(() => undefined),
    };
  }

  #acknowledge(record: string): void {
    for (const dataDir of this.#dataDirs) {
      this.database((connection) => connection.prepare('INSERT INTO acknowledged VALUES (?)').run(record), dataDir);
    }
    this.acknowledged.push(record);
  }

  #halt(): void {
    this.serving = null;
  }

  #disk(): Disk {
    return {
      write: (file, text) =>
        this.#act(
          () => realDisk.write(file, text),
          () => writeFileSync(`${file}.new`, text.slice(0, text.length / 2)),
        ),
      move: (from, to) => this.#act(() => realDisk.move(from, to)),
      link: (from, to) =>
        this.#act(
          () => realDisk.link(from, to),
          () => rmSync(to, { force: true }),
        ),
      copy: (from, to) =>
        this.#act(
          () => realDisk.copy(from, to),
          () => writeFileSync(to, readFileSync(from).subarray(0, statSync(from).size / 2)),
        ),
      remove: (file) => this.#act(() => realDisk.remove(file)),
    };
  }

  /** One act at which the power may be cut. `midway` makes the state that a cut in its middle leaves. */
  #act(act: () => void, midway: () => void = () => undefined): void {
    if (!this.#hasPower) throw new PowerIsOff();
    const when = this.#cut?.act === this.acts ? this.#cut.when : null;
    this.acts += 1;
    if (when === 'midway') midway();
    if (when === null || when === 'after') act();
    if (when === null) return;
    this.#hasPower = false;
    this.serving = null;
    throw new PowerIsOff();
  }

  async #untilPowerIsCut(run: () => Promise<number>): Promise<number | null> {
    try {
      const exitCode = await run();
      return this.#hasPower ? exitCode : null;
    } catch (error) {
      if (error instanceof PowerIsOff) return null;
      throw error;
    }
  }
}

function textOf(program: FakeProgram): string {
  return JSON.stringify({ ...program, padding: 'x'.repeat(500) });
}

function programIn(file: string): FakeProgram {
  const { version, schema, behaviour } = JSON.parse(readFileSync(file, 'utf8')) as FakeProgram;
  return { version, schema, behaviour };
}
