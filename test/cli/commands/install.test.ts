import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openLock } from '../../../src/adapters/store/thread/database/connection.ts';
import { runInstall } from '../../../src/cli/commands/service/install.ts';
import { HELP_FILES, installationIn } from '../../../src/cli/commands/service/installation.ts';
import { runUninstall } from '../../../src/cli/commands/service/uninstall.ts';
import { type UpdatePlaces, updatePlaces } from '../../../src/cli/commands/update/update-places.ts';
import { fakeIo } from '../fake-io.ts';
import { programUnderTest } from '../program-under-test.ts';

const CONFIG = 'etc/plantgate/plantgate.yaml';
const UNIT = 'etc/systemd/system/plantgate.service';

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
const INSTALLED = isRoot ? { exitCode: 0, err: [] } : { exitCode: 74, err: [expect.stringContaining('FAILED')] };

function install() {
  const io = fakeIo();
  return { exitCode: runInstall({ root, binary }, io), out: io.out, err: io.err };
}

function uninstall(purge: boolean) {
  const io = fakeIo();
  return { exitCode: runUninstall({ root, purge }, io), out: io.out, err: io.err };
}

describe('plantgate install', () => {
  it('puts program, configuration, directories and unit file into an image, closed to other users', () => {
    const { exitCode, out, err } = install();
    expect({ exitCode, err }).toEqual(INSTALLED);
    expect(readFileSync(at('usr/bin/plantgate'), 'utf8')).toBe('program, first release');
    const closed = ['usr/bin/plantgate', CONFIG, 'etc/plantgate', 'var/lib/plantgate'];
    const units = [UNIT, 'etc/systemd/system/plantgate-apply.path', 'etc/systemd/system/plantgate-apply.service'];
    expect(closed.map(modeOf)).toEqual(['755', '640', '750', '700']);
    expect(units.map(modeOf)).toEqual(['644', '644', '644']);
    expect(readFileSync(at(UNIT), 'utf8')).toContain('RestartPreventExitStatus=78');
    expect(out).toContain('not done   systemctl daemon-reload: nothing runs in an image');
  });

  it.runIf(isRoot)('makes the user, who owns the data', () => {
    install();
    const line = /^plantgate:x:(\d+):(\d+):.*:\/var\/lib\/plantgate:\/usr\/sbin\/nologin$/m;
    const [, uid, gid] = line.exec(readFileSync(at('etc/passwd'), 'utf8')) ?? [];
    expect(statSync(at('var/lib/plantgate'))).toMatchObject({ uid: Number(uid), gid: Number(gid) });
    expect(statSync(at(CONFIG))).toMatchObject({ uid: 0, gid: Number(gid) });
  });

  it('goes on after a failed step, and ends with 74', () => {
    vi.stubEnv('PATH', at('bin'));
    mkdirSync(at('bin'));
    const { exitCode, out, err } = install();
    expect(out).toContainEqual(expect.stringMatching(/^FAILED {5}user plantgate: .*useradd/));
    expect(existsSync(at(UNIT))).toBe(true);
    expect({ exitCode, err }).toEqual({
      exitCode: 74,
      err: ['A step failed: see FAILED above. Run it again when this is mended.'],
    });
  });

  it('changes nothing when it is run again; a new release changes only the program', () => {
    install();
    writeFileSync(at(CONFIG), 'gatewayId: mine\n');
    expect(install().out.filter((line) => line.startsWith('done') && !line.includes('systemctl'))).toEqual([]);
    writeFileSync(binary, 'program, second release');
    install();
    expect(readFileSync(at('usr/bin/plantgate'), 'utf8')).toBe('program, second release');
    expect(readFileSync(at(CONFIG), 'utf8')).toBe('gatewayId: mine\n');
  });

  it('leaves an installation by a package to the package manager', () => {
    mkdirSync(at('usr/lib/systemd/system'), { recursive: true });
    writeFileSync(at('usr/lib/systemd/system/plantgate.service'), '');
    expect(install()).toMatchObject({ exitCode: 73, err: [expect.stringContaining('package manager')] });
    expect(uninstall(true).exitCode).toBe(73);
    expect(existsSync(at('usr/bin/plantgate'))).toBe(false);
  });

  it('says from source that only the single binary can be installed', async () => {
    const cli = programUnderTest();
    const io = await cli.run('install', '--root', root).catch(() => null);
    cli.cleanUp();
    expect(io).toMatchObject({ exitCode: 64, err: [expect.stringContaining('npm run build:binary')] });
  });

  it('ends with 74 if it cannot install', () => {
    writeFileSync(at('usr'), 'a file');
    expect(install()).toMatchObject({ exitCode: 74, err: [expect.stringContaining('Run it again')] });
  });
});

describe('an update that is not at its end', () => {
  const SETTLE =
    /: an earlier update is unfinished: run "systemctl stop plantgate", "plantgate.previous update --resume"/;
  let places: UpdatePlaces;
  beforeEach(() => {
    install();
    places = updatePlaces(installationIn(root));
    mkdirSync(places.stateDir);
    writeFileSync(places.journal, '{}');
    writeFileSync(binary, 'program, second release');
  });

  it('keeps install from a program that the end of the update would replace', () => {
    expect(install()).toMatchObject({ exitCode: 75, out: [], err: [expect.stringMatching(SETTLE)] });
    expect(readFileSync(at('usr/bin/plantgate'), 'utf8')).toBe('program, first release');
    rmSync(places.journal);
    expect(install().exitCode).toBe(INSTALLED.exitCode);
    expect(readFileSync(at('usr/bin/plantgate'), 'utf8')).toBe('program, second release');
  });

  it.each([false, true])('keeps uninstall from the program that settles it, with --purge %s', (purge) => {
    expect(uninstall(purge)).toMatchObject({ exitCode: 75, out: [], err: [expect.stringMatching(SETTLE)] });
    expect(existsSync(at('usr/bin/plantgate'))).toBe(true);
  });

  it('is waited for while it is under way', () => {
    const lock = openLock(places.lock);
    expect(install()).toMatchObject({ exitCode: 75, err: [expect.stringContaining('wait until it has ended')] });
    lock.close();
  });
});

describe('plantgate uninstall', () => {
  it('removes the service and keeps data, configuration and user', () => {
    install();
    writeFileSync(at('var/lib/plantgate/plantgate.db'), 'state');
    expect(uninstall(false)).toMatchObject({ exitCode: 0, err: [] });
    expect([UNIT, 'usr/bin/plantgate', 'var/cache/plantgate'].filter((place) => existsSync(at(place)))).toEqual([]);
    expect(readFileSync(at('var/lib/plantgate/plantgate.db'), 'utf8')).toBe('state');
    expect(existsSync(at(CONFIG))).toBe(true);
  });

  it('removes these as well with --purge, and finds nothing to do when it is run again', () => {
    install();
    // The tarball's install.sh adds these.
    const help = Object.values(HELP_FILES);
    for (const place of help) {
      mkdirSync(path.dirname(at(place)), { recursive: true });
      writeFileSync(at(place), '');
    }
    expect(uninstall(true).exitCode).toBe(0);
    expect(help.filter((place) => existsSync(at(place)))).toEqual([]);
    expect(['var/lib/plantgate', 'etc/plantgate'].filter((place) => existsSync(at(place)))).toEqual([]);
    expect(readFileSync(at('etc/passwd'), 'utf8')).not.toContain('plantgate');
    const again = uninstall(true);
    expect(again).toMatchObject({ exitCode: 0, err: [] });
    expect(again.out.join('\n')).toContain(`${at('usr/bin/plantgate')} was not there`);
  });
});
