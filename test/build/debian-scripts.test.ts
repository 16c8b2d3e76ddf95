import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DEBIAN_PACKAGES, type DebianPackage, debianFile } from '../../build/debian-packages.ts';

/** `plantgate install` makes this file, and the package does not. */
const OWN_INSTALLATION = 'etc/systemd/system/plantgate-apply.path';
const placesOf = (name: string) => [`etc/${name}/plantgate.yaml`, `var/lib/${name}/plantgate.db`] as const;
const WHOLE = DEBIAN_PACKAGES.flatMap(({ name }) => placesOf(name));
const without = (name: string) => WHOLE.filter((place) => !placesOf(name).includes(place));
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
  for (const file of WHOLE) place(file);
  for (const { name } of DEBIAN_PACKAGES) place(`usr/share/${name}/plantgate.yaml`);
});
afterEach(() => rmSync(root, { recursive: true }));

/** Runs a maintainer script of a package as dpkg does, on the files of both below `root`. */
function run(deb: DebianPackage, name: string, ...words: readonly string[]) {
  const script = debianFile(name, deb);
  const moved = script.replaceAll(/(?<=[ "])\/(?=etc\/|usr\/share\/|var\/|run\/)/g, `${root}/`);
  const env = { PATH: `${at('bin')}:${process.env.PATH}` };
  const { status, stderr } = spawnSync('sh', ['-c', moved, name, ...words], { encoding: 'utf8', env });
  return { status, stderr, kept: WHOLE.filter((file) => existsSync(at(file))) };
}

const [GATEWAY, CENTRAL] = DEBIAN_PACKAGES;

it.each([
  [GATEWAY, 'preinst', ['install'], [], { status: 0, kept: WHOLE }],
  [
    ...[GATEWAY, 'preinst', ['install'], [OWN_INSTALLATION]],
    { status: 1, kept: WHOLE, stderr: /Run 'plantgate uninstall' first/ },
  ],
  [GATEWAY, 'preinst', ['upgrade', '0.1.0'], [OWN_INSTALLATION], { status: 0, kept: WHOLE }],
  [GATEWAY, 'postrm', ['purge'], [], { status: 0, kept: without('plantgate') }],
  [
    ...[GATEWAY, 'postrm', ['purge'], [OWN_INSTALLATION]],
    { status: 0, kept: WHOLE, stderr: /configuration and user stay/ },
  ],
  [GATEWAY, 'postinst', ['configure', ''], [], { status: 0, kept: WHOLE }],
  [CENTRAL, 'postinst', ['configure', ''], [OWN_INSTALLATION], { status: 0, kept: WHOLE }],
  [CENTRAL, 'postrm', ['remove'], [], { status: 0, kept: WHOLE }],
  [CENTRAL, 'postrm', ['purge'], [OWN_INSTALLATION], { status: 0, kept: without('plantgate-central') }],
] as const)('D-110 $0.name: $1 $2 beside $3', (deb, name, words, files, { status, kept, ...told }) => {
  if (deb === undefined) throw new Error('no such package');
  for (const file of files) place(file);
  const ran = run(deb, name, ...words);
  expect({ status: ran.status, kept: ran.kept }).toEqual({ status, kept });
  expect(ran.stderr).toMatch('stderr' in told ? told.stderr : /^$/);
});

it.each(DEBIAN_PACKAGES)('the package $name brings the configuration back if the administrator removed it', (deb) => {
  rmSync(at(placesOf(deb.name)[0]));
  expect(run(deb, 'postinst', 'configure', '')).toMatchObject({ status: 0, stderr: '', kept: WHOLE });
});
