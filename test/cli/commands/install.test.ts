import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { allCommands } from '../../../build/all-commands.ts';
import { openLock } from '../../../src/adapters/store/thread/database/connection.ts';
import { diskFault } from '../../../src/adapters/store/thread/database/disk-fault.ts';
import { HELP_FILES } from '../../../src/cli/commands/completion/help-files.ts';
import { runInstall } from '../../../src/cli/commands/service/install.ts';
import { installationIn } from '../../../src/cli/commands/service/installation.ts';
import { placeFile } from '../../../src/cli/commands/service/place-file.ts';
import { runUninstall } from '../../../src/cli/commands/service/uninstall.ts';
import { type UpdatePlaces, updatePlaces } from '../../../src/cli/commands/update/update-places.ts';
import { mayMount } from '../../this-computer.ts';
import { fakeIo, programUnderTest } from '../program-under-test.ts';

const CONFIG = 'etc/plantgate/plantgate.yaml';
const UNIT = 'etc/systemd/system/plantgate.service';
/** The links by which systemd starts units with the computer. */
const WANTED = 'etc/systemd/system/multi-user.target.wants';

let root: string;
let binary: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'plantgate-image-'));
  mkdirSync(path.join(root, 'etc'));
  for (const name of ['passwd', 'group', 'shadow']) writeFileSync(path.join(root, 'etc', name), '');
  binary = path.join(root, 'plantgate-linux');
  writeFileSync(binary, 'program, first release');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

const at = (place: string) => path.join(root, place);
const modeOf = (place: string) => (statSync(at(place)).mode & 0o7777).toString(8);

/** Only root can make a user, also in an image. */
const isRoot = process.getuid?.() === 0;
const INSTALLED = { exitCode: 0, err: [] };

async function install() {
  const io = fakeIo();
  return { exitCode: await runInstall({ root, binary, commands: allCommands() }, io), out: io.out, err: io.err };
}

async function uninstall(purge: boolean) {
  const io = fakeIo();
  return { exitCode: await runUninstall({ root, purge }, io), out: io.out, err: io.err };
}

describe('plantgate install', () => {
  it('puts program, configuration, directories and unit file into an image, closed to other users', async () => {
    const { exitCode, out, err } = await install();
    expect({ exitCode, err }).toEqual(INSTALLED);
    expect(readFileSync(at('usr/bin/plantgate'), 'utf8')).toBe('program, first release');
    const closed = ['usr/bin/plantgate', CONFIG, 'etc/plantgate', 'var/lib/plantgate'];
    const units = [UNIT, 'etc/systemd/system/plantgate-apply.path', 'etc/systemd/system/plantgate-apply.service'];
    expect(closed.map(modeOf)).toEqual(['755', '640', '750', '700']);
    expect(units.map(modeOf)).toEqual(['644', '644', '644']);
    expect(readFileSync(at(UNIT), 'utf8')).toContain('RestartPreventExitStatus=78');
    expect(out).toContain('not done   systemctl daemon-reload: nothing runs in an image');
    expect(readlinkSync(at(`${WANTED}/plantgate.service`))).toBe('/etc/systemd/system/plantgate.service');
    expect(readlinkSync(at(`${WANTED}/plantgate-apply.path`))).toBe('/etc/systemd/system/plantgate-apply.path');
  });

  it.runIf(!isRoot)('says that only root can make the user, and goes on', async () => {
    const { exitCode, out } = await install();
    expect(out).toContainEqual(expect.stringMatching(/^not done {3}user plantgate: only root can make it/));
    expect({ exitCode, hasUnit: existsSync(at(UNIT)) }).toEqual({ exitCode: 0, hasUnit: true });
  });

  it.runIf(isRoot)('makes the user, who owns the data', async () => {
    await install();
    const line = /^plantgate:x:(\d+):(\d+):.*:\/var\/lib\/plantgate:\/usr\/sbin\/nologin$/m;
    const [, uid, gid] = line.exec(readFileSync(at('etc/passwd'), 'utf8')) ?? [];
    expect(statSync(at('var/lib/plantgate'))).toMatchObject({ uid: Number(uid), gid: Number(gid) });
    expect(statSync(at(CONFIG))).toMatchObject({ uid: 0, gid: Number(gid) });
  });

  it.runIf(isRoot)('goes on after a failed step, and ends with 74', async () => {
    vi.stubEnv('PATH', at('bin'));
    mkdirSync(at('bin'));
    const { exitCode, out, err } = await install();
    // No systemctl is needed.
    expect(out).toContain('done       enable plantgate.service plantgate-apply.path in the image');
    expect(out).toContainEqual(expect.stringMatching(/^FAILED {5}user plantgate: .*useradd/));
    expect(existsSync(at(UNIT))).toBe(true);
    expect({ exitCode, err }).toEqual({
      exitCode: 74,
      err: ['A step failed: see FAILED above. Run it again when this is mended.'],
    });
  });

  it('changes nothing when it is run again; a new release changes only the program', async () => {
    await install();
    writeFileSync(at(CONFIG), 'gatewayId: mine\n');
    expect((await install()).out.filter((line) => line.startsWith('done'))).toEqual([]);
    writeFileSync(binary, 'program, second release');
    await install();
    expect(readFileSync(at('usr/bin/plantgate'), 'utf8')).toBe('program, second release');
    expect(readFileSync(at(CONFIG), 'utf8')).toBe('gatewayId: mine\n');
  });

  const userOf = () => {
    const [, uid, gid] = /^plantgate:x:(\d+):(\d+):/m.exec(readFileSync(at('etc/passwd'), 'utf8')) ?? [];
    return { uid: Number(uid), gid: Number(gid) };
  };

  it.runIf(isRoot)('gives data that another user owned to the service, and follows no symbolic link', async () => {
    mkdirSync(at('var/lib/plantgate/backups'), { recursive: true });
    const files = ['var/lib/plantgate/backups/plantgate-1.db', 'outside'];
    for (const file of files) writeFileSync(at(file), '');
    symlinkSync(at('outside'), at('var/lib/plantgate/file'));
    mkdirSync(at('elsewhere'));
    writeFileSync(at('elsewhere/inside'), '');
    symlinkSync(at('elsewhere'), at('var/lib/plantgate/directory'));
    for (const place of ['var/lib/plantgate', 'var/lib/plantgate/backups', ...files])
      chownSync(at(place), 4_711, 4_711);
    expect((await install()).out).toContainEqual(expect.stringMatching(/^done .*plantgate, with all that it holds/));
    const given = ['var/lib/plantgate', 'var/lib/plantgate/backups', 'var/lib/plantgate/backups/plantgate-1.db'];
    for (const place of given) expect(statSync(at(place))).toMatchObject(userOf());
    expect([statSync(at('outside')).uid, statSync(at('elsewhere/inside')).uid]).toEqual([4_711, 0]);
  });

  it.runIf(isRoot).each([
    [0o640, 0, true],
    [0o600, 0, true],
    [0o644, 0, false],
    [0o600, 'the service', false],
  ] as const)('a configuration with mode %o of user %s is opened to the service: %s', async (mode, owner, isOpened) => {
    await install();
    chownSync(at(CONFIG), owner === 0 ? 0 : userOf().uid, 0);
    chmodSync(at(CONFIG), mode);
    const { out } = await install();
    expect(out).toContainEqual(
      isOpened ? `done       ${at(CONFIG)} can be read by the service now` : `as it was  ${at(CONFIG)}`,
    );
    expect(modeOf(CONFIG)).toBe((isOpened ? 0o640 : mode).toString(8));
  });

  it.runIf(isRoot)('opens the configuration in the run that can make the user', async () => {
    vi.stubEnv('PATH', at('bin'));
    expect((await install()).exitCode).toBe(74);
    vi.unstubAllEnvs();
    expect((await install()).exitCode).toBe(0);
    expect(statSync(at(CONFIG))).toMatchObject({ uid: 0, gid: userOf().gid });
  });

  it('leaves no part of a program behind if the disk is full', async () => {
    const file = at('program');
    // The system refuses this owner, after the file is written.
    const owner = { uid: 2 ** 40, gid: 0 };
    expect(() => placeFile(file, 'program', { mode: 0o755, owner })).toThrow(/uid/);
    expect(readdirSync(root)).not.toContain('program.new');
  });

  it('leaves an installation by a package to the package manager', async () => {
    mkdirSync(at('usr/lib/systemd/system'), { recursive: true });
    writeFileSync(at('usr/lib/systemd/system/plantgate.service'), '');
    expect(await install()).toMatchObject({ exitCode: 73, err: [expect.stringContaining('package manager')] });
    expect((await uninstall(true)).exitCode).toBe(73);
    expect(existsSync(at('usr/bin/plantgate'))).toBe(false);
  });

  it('says from source that only the single binary can be installed', async () => {
    const cli = programUnderTest();
    const io = await cli.run('install', '--root', root).catch(() => null);
    cli.cleanUp();
    expect(io).toMatchObject({ exitCode: 64, err: [expect.stringContaining('npm run build:binary')] });
  });

  it('ends with 74 if it cannot install', async () => {
    writeFileSync(at('usr'), 'a file');
    expect(await install()).toMatchObject({ exitCode: 74, err: [expect.stringContaining('Run it again')] });
  });
});

describe('an unfinished update', () => {
  const SETTLE =
    /: an earlier update is unfinished: run "systemctl stop plantgate", "plantgate.previous update --resume"/;
  let places: UpdatePlaces;
  beforeEach(async () => {
    await install();
    places = updatePlaces(installationIn(root));
    mkdirSync(places.stateDir);
    writeFileSync(places.journal, '{}');
    writeFileSync(binary, 'program, second release');
  });

  it('keeps install from a program that the end of the update would replace', async () => {
    expect(await install()).toMatchObject({ exitCode: 75, out: [], err: [expect.stringMatching(SETTLE)] });
    expect(readFileSync(at('usr/bin/plantgate'), 'utf8')).toBe('program, first release');
    rmSync(places.journal);
    expect((await install()).exitCode).toBe(INSTALLED.exitCode);
    expect(readFileSync(at('usr/bin/plantgate'), 'utf8')).toBe('program, second release');
  });

  it.each([false, true])('keeps uninstall from the program that settles it, with --purge %s', async (purge) => {
    expect(await uninstall(purge)).toMatchObject({ exitCode: 75, out: [], err: [expect.stringMatching(SETTLE)] });
    expect(existsSync(at('usr/bin/plantgate'))).toBe(true);
  });
});

describe('the lock of updates', () => {
  const places = () => updatePlaces(installationIn(root));

  it('is held while install and uninstall work', async () => {
    const faults: unknown[] = [];
    const tryToLock = () => {
      try {
        openLock(places().lock).close();
      } catch (error) {
        faults.push(diskFault(error));
      }
    };
    await runInstall({ root, binary, commands: allCommands() }, { ...fakeIo(), stdout: tryToLock });
    expect(new Set(faults.splice(0))).toEqual(new Set(['busy']));
    await runUninstall({ root, purge: false }, { ...fakeIo(), stdout: tryToLock });
    expect(new Set(faults)).toEqual(new Set(['busy']));
  });

  it('leaves no directory behind where none was, and the one that was there', async () => {
    expect((await uninstall(false)).exitCode).toBe(0);
    expect(existsSync(places().stateDir)).toBe(false);
    await install();
    expect(existsSync(places().stateDir)).toBe(false);
    // Its parent is for everybody.
    expect(modeOf('var/lib')).not.toBe('700');
    mkdirSync(places().stateDir);
    writeFileSync(places().backup, 'before the newest update');
    await install();
    await uninstall(false);
    expect(existsSync(places().backup)).toBe(true);
    expect((await uninstall(true)).exitCode).toBe(0);
    expect(existsSync(places().stateDir)).toBe(false);
  });
});

describe('while an update runs', () => {
  it.each([
    ['has no journal yet', []],
    ['has a journal', ['journal']],
  ] as const)('install and uninstall are refused (75) if the update %s', async (_, files) => {
    await install();
    const places = updatePlaces(installationIn(root));
    mkdirSync(places.stateDir);
    for (const file of files) writeFileSync(places[file], '{}');
    writeFileSync(binary, 'program, second release');
    const lock = openLock(places.lock);
    const refused = { exitCode: 75, out: [], err: [expect.stringContaining('wait until it has ended')] };
    expect(await install()).toMatchObject(refused);
    expect(await uninstall(true)).toMatchObject(refused);
    lock.close();
    expect(readFileSync(at('usr/bin/plantgate'), 'utf8')).toBe('program, first release');
    expect(existsSync(places.stateDir)).toBe(true);
  });
});

describe('plantgate uninstall', () => {
  it('removes the service and keeps data, configuration and user', async () => {
    await install();
    writeFileSync(at('var/lib/plantgate/plantgate.db'), 'state');
    expect(await uninstall(false)).toMatchObject({ exitCode: 0, err: [] });
    expect([UNIT, 'usr/bin/plantgate', 'var/cache/plantgate'].filter((place) => existsSync(at(place)))).toEqual([]);
    expect(readFileSync(at('var/lib/plantgate/plantgate.db'), 'utf8')).toBe('state');
    expect(existsSync(at(CONFIG))).toBe(true);
    expect(readdirSync(at(WANTED))).toEqual([]);
  });

  it.runIf(mayMount())('empties a data directory that is a mount point, and goes on', async () => {
    await install();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', at('var/lib/plantgate')]);
    writeFileSync(at('var/lib/plantgate/plantgate.db'), 'state');
    const { exitCode, out } = await uninstall(true);
    const left = readdirSync(at('var/lib/plantgate'));
    execFileSync('umount', [at('var/lib/plantgate')]);
    expect({ exitCode, left }).toEqual({ exitCode: 0, left: [] });
    expect(out).toContain(`done       ${at('var/lib/plantgate')} emptied; it is a mount point`);
    expect(existsSync(at('etc/plantgate'))).toBe(false);
  });

  it('removes these as well with --purge, and finds nothing to do when it is run again', async () => {
    await install();
    const help = Object.keys(HELP_FILES);
    expect(help.filter((place) => modeOf(place) !== '644')).toEqual([]);
    expect(readFileSync(at('usr/local/share/man/man1/plantgate.1'), 'utf8')).toContain('.TH PLANTGATE 1');
    expect((await uninstall(true)).exitCode).toBe(0);
    expect(help.filter((place) => existsSync(at(place)))).toEqual([]);
    expect(['var/lib/plantgate', 'etc/plantgate'].filter((place) => existsSync(at(place)))).toEqual([]);
    expect(readFileSync(at('etc/passwd'), 'utf8')).not.toContain('plantgate');
    const again = await uninstall(true);
    expect(again).toMatchObject({ exitCode: 0, err: [] });
    expect(again.out.join('\n')).toContain(`${at('usr/bin/plantgate')} was not there`);
  });
});
