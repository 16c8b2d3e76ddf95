// npm run build:deb [-- x64 arm64]: dist/plantgate_VERSION_ARCH.deb and dist/plantgate-central_VERSION_ARCH.deb from the
// binaries in dist. Needs dpkg-deb. DEBFULLNAME and DEBEMAIL name the maintainer.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { type Architecture, DEBIAN_ARCHITECTURE, wantedArchitectures } from './architectures.ts';
import { releasedAt } from './debian-changelog.ts';
import { DEBIAN_PACKAGES, type DebianPackage, debianFile, filesOf } from './debian-packages.ts';
import { maintainerOrLocal } from './maintainer.ts';

/** Debian's tools take it from the same variables. */
const MAINTAINER = maintainerOrLocal(process.env);

const root = path.resolve(import.meta.dirname, '..');

function place(stage: string, file: string, content: string | Buffer, mode = 0o644): void {
  const target = path.join(stage, file);
  mkdirSync(path.dirname(target), { recursive: true, mode: 0o755 });
  writeFileSync(target, content);
  chmodSync(target, mode);
}

function control({ name, title, description }: DebianPackage, arch: Architecture, installedBytes: number): string {
  return [
    `Package: ${name}`,
    `Version: ${manifest.version}`,
    `Architecture: ${DEBIAN_ARCHITECTURE[arch]}`,
    `Maintainer: ${MAINTAINER}`,
    `Installed-Size: ${Math.ceil(installedBytes / 1_024)}`,
    'Depends: libc6 (>= 2.34), libstdc++6, libgcc-s1, passwd',
    'Recommends: openssl, systemd | systemd-sysv',
    'Section: misc',
    'Priority: optional',
    `Description: ${title}`,
    ...description.map((line) => ` ${line}`),
    '',
  ].join('\n');
}

function buildDeb(deb: DebianPackage, arch: Architecture): void {
  const stage = path.join(root, 'build', `stage-deb-${deb.name}-${arch}`);
  rmSync(stage, { recursive: true, force: true });
  const files = Object.entries(filesOf(deb, arch, MAINTAINER));
  for (const [file, { content, mode }] of files) place(stage, file, content, mode);
  const bytes = files.reduce((sum, [file]) => sum + statSync(path.join(stage, file)).size, 0);
  const sums = files.map(([file, { content }]) => `${createHash('md5').update(content).digest('hex')}  ${file}\n`);
  place(stage, 'DEBIAN/control', control(deb, arch, bytes));
  place(stage, 'DEBIAN/md5sums', sums.join(''));
  for (const script of deb.scripts) place(stage, `DEBIAN/${script}`, debianFile(script, deb), 0o755);
  const out = path.join(root, 'dist', `${deb.name}_${manifest.version}_${DEBIAN_ARCHITECTURE[arch]}.deb`);
  // The same sources give the same bytes: owners and times do not depend on the builder and the time of the build.
  const changelog = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8');
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(releasedAt(changelog).getTime() / 1_000) };
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '-z1', '--build', stage, out], { stdio: 'ignore', env });
  console.log(`built ${path.relative(root, out)} ${(statSync(out).size / 2 ** 20).toFixed(1)} MiB`);
}

for (const arch of wantedArchitectures(process.argv.slice(2))) {
  for (const deb of DEBIAN_PACKAGES) buildDeb(deb, arch);
}
