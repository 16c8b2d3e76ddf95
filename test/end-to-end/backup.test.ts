import { execFile } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it, type TestContext } from 'vitest';
import { PROGRAM_FILE } from '../bundle-program.ts';
import { NODE_COMPILE_CACHE, Program, type ProgramOptions, statusOf } from './program.ts';

const run = promisify(execFile);
const BACKUPS = 2;

/** A gateway until the end of the test. */
async function start({ onTestFinished }: TestContext, options: ProgramOptions = {}): Promise<Program> {
  const program = await Program.start(options);
  onTestFinished(() => program.end());
  return program;
}

interface Ran {
  readonly code: number;
  readonly said: string;
}

/** Runs a command of the program; gives its exit code and its output. */
async function plantgate({ dir }: Program, ...words: readonly string[]): Promise<Ran> {
  const config = ['--config', path.join(dir, 'plantgate.yaml')];
  try {
    const { stdout, stderr } = await run(process.execPath, [PROGRAM_FILE, ...words, ...config], {
      env: { ...process.env, NODE_COMPILE_CACHE },
    });
    return { code: 0, said: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, said: stdout + stderr };
  }
}

const shiftsIn = (timeZone: string) => ({ timeZone, shifts: [{ name: 'Early', start: '06:00' }] });

function statusNumber(number: number): object {
  return statusOf({ partId: 'P-100', mSecSinceBoot: number * 1_000, goodPart: number });
}

describe.concurrent('backup and restore', () => {
  it('D-48 a backup taken under load is complete, settings included, and brings back the state of its time', {
    timeout: 120_000,
  }, async (test) => {
    let program = await start(test);
    await program.api('PUT', '/settings', { shifts: shiftsIn('Europe/Berlin') });
    let isLoaded = true;
    let sent = 0;
    const load = (async () => {
      while (isLoaded) {
        sent += 1;
        expect((await program.device('status', statusNumber(sent))).status).toBe(200);
      }
    })();
    const files = Array.from({ length: BACKUPS }, (_, place) => path.join(program.dir, `backup-${place}.db`));
    for (const file of files) {
      const { code, said } = await plantgate(program, 'backup', file);
      expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('verified page by page') });
      expect(await plantgate(program, 'backup', '--verify', file)).toMatchObject({ code: 0 });
    }
    isLoaded = false;
    await load;
    expect(readdirSync(path.join(program.dir, 'data/backups'))).toEqual([]);
    const [first = ''] = files;
    await program.api('PUT', '/machines/RF-01/part', { partId: 'P-200' });
    await program.api('PUT', '/settings', { shifts: shiftsIn('Europe/Paris') });
    expect(await plantgate(program, 'restore', first)).toMatchObject({
      code: 75,
      said: expect.stringContaining('stop it first'),
    });
    await program.kill();
    const restored = await plantgate(program, 'restore', first);
    expect(restored).toMatchObject({ code: 0, said: expect.stringContaining('before-restore') });
    program = await start(test, { dir: program.dir });
    expect((await program.api('GET', '/machines/RF-01')).body.part).toMatchObject({ partId: 'P-100' });
    expect((await program.api('GET', '/settings')).body.timeZone).toBe('Europe/Berlin');
  });

  it('manual backups delete no earlier backup, and a backup that fails is an incident', {
    timeout: 120_000,
  }, async (test) => {
    const program = await start(test, {
      settings: 'storage: { backups: { directory: ./second-disk/backups, keep: 1 } }\n',
    });
    const directory = path.join(program.dir, 'second-disk/backups');
    const { status, body: first } = await program.api('POST', '/backups');
    expect(status).toBe(201);
    // A backup is named by the second of its time.
    await pause(1_000);
    const file = path.join(program.dir, 'backup.db');
    expect(await plantgate(program, 'backup', file)).toMatchObject({ code: 0 });
    expect(readdirSync(directory)).toEqual([path.basename(first.file)]);
    await pause(1_000);
    const { body: second } = await program.api('POST', '/backups');
    expect((await program.api('GET', '/backups')).body).toEqual([second, first]);
    rmSync(path.join(program.dir, 'second-disk'), { recursive: true });
    writeFileSync(path.join(program.dir, 'second-disk'), 'no directory');
    expect((await program.api('POST', '/backups')).status).toBe(503);
    const { body } = await program.api('GET', '/diagnostics');
    expect(JSON.stringify(body)).toMatch(/"subject":"backup"/);
  });

  it('no file is overwritten, and a damaged or foreign file is refused', { timeout: 120_000 }, async (test) => {
    const program = await start(test);
    const file = path.join(program.dir, 'backup.db');
    const taken = await plantgate(program, 'backup', file, '--json');
    expect(JSON.parse(taken.said)).toEqual({ file, bytes: statSync(file).size, verified: true });
    expect(JSON.parse((await plantgate(program, 'backup', '--verify', '--json', file)).said)).toEqual(
      JSON.parse(taken.said),
    );
    expect(await plantgate(program, 'backup', file)).toMatchObject({
      code: 73,
      said: expect.stringContaining('exists already'),
    });
    await program.kill();
    truncateSync(file, 8_192);
    expect(await plantgate(program, 'backup', '--verify', file)).toMatchObject({ code: 74 });
    writeFileSync(file, 'a letter, and no database');
    expect(await plantgate(program, 'restore', file)).toMatchObject({
      code: 74,
      said: expect.stringContaining('backup.db'),
    });
    rmSync(file);
    expect(await plantgate(program, 'restore', file)).toMatchObject({
      code: 74,
      said: expect.stringContaining('does not exist'),
    });
    expect(await plantgate(program, 'backup', path.join(program.dir, 'none/backup.db'))).toMatchObject({
      code: 73,
      said: expect.stringContaining(`The directory ${program.dir}/none does not exist`),
    });
    expect(existsSync(path.join(program.dir, 'data/plantgate.db'))).toBe(true);
    expect(await plantgate(program, 'backup', file)).toMatchObject({ code: 69 });
  });
});
