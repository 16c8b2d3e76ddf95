import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

/** `plantgate install` makes this file, and the package does not. */
const OWN_INSTALLATION = 'etc/systemd/system/plantgate-apply.path';
const CONFIG = 'etc/plantgate/plantgate.yaml';
const DATA = 'var/lib/plantgate/plantgate.db';
/** The programs of the system that a script calls, which do nothing here. */
const PROGRAMS = [
  'install',
  'getent',
  'useradd',
  'userdel',
  'chown',
  'deb-systemd-helper',
  'deb-systemd-invoke',
  'systemctl',
];

let root: string;
const at = (place: string) => path.join(root, place);
const place = (file: string) => {
  mkdirSync(path.dirname(at(file)), { recursive: true });
  writeFileSync(at(file), '');
};
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'plantgate-deb-'));
  for (const name of PROGRAMS) {
    place(`bin/${name}`);
    writeFileSync(at(`bin/${name}`), '#!/bin/sh\n');
    chmodSync(at(`bin/${name}`), 0o755);
  }
  for (const file of [CONFIG, DATA, 'usr/share/plantgate/plantgate.yaml']) place(file);
});
afterEach(() => rmSync(root, { recursive: true }));

/** Runs a maintainer script of the package as dpkg does, on the files below `root`. */
function run(name: string, ...words: readonly string[]) {
  const script = readFileSync(path.resolve(import.meta.dirname, '../../packaging/debian', name), 'utf8');
  const moved = script.replaceAll(/(?<=[ "])\/(?=etc\/|usr\/share\/|var\/|run\/)/g, `${root}/`);
  const env = { PATH: `${at('bin')}:${process.env.PATH}` };
  const { status, stderr } = spawnSync('sh', ['-c', moved, name, ...words], { encoding: 'utf8', env });
  return { status, stderr, kept: [CONFIG, DATA].filter((file) => existsSync(at(file))) };
}

const WHOLE = [CONFIG, DATA];

it.each([
  ['preinst', ['install'], [], { status: 0, kept: WHOLE }],
  ['preinst', ['install'], [OWN_INSTALLATION], { status: 1, kept: WHOLE, stderr: /Run 'plantgate uninstall' first/ }],
  ['preinst', ['upgrade', '0.1.0'], [OWN_INSTALLATION], { status: 0, kept: WHOLE }],
  ['postrm', ['purge'], [], { status: 0, kept: [] }],
  ['postrm', ['purge'], [OWN_INSTALLATION], { status: 0, kept: WHOLE, stderr: /configuration and user stay/ }],
  ['postinst', ['configure', ''], [], { status: 0, kept: WHOLE }],
] as const)('the package’s %s %j beside %j', (name, words, files, { status, kept, ...told }) => {
  for (const file of files) place(file);
  const ran = run(name, ...words);
  expect({ status: ran.status, kept: ran.kept }).toEqual({ status, kept });
  expect(ran.stderr).toMatch('stderr' in told ? told.stderr : /^$/);
});

it('the package brings the configuration back if the administrator removed it', () => {
  rmSync(at(CONFIG));
  expect(run('postinst', 'configure', '')).toMatchObject({ status: 0, stderr: '', kept: WHOLE });
});
