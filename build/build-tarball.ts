// npm run build:tarball [-- x64 arm64]: dist/plantgate-VERSION-linux-ARCH.tar.gz from the binaries in dist.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { type Architecture, wantedArchitectures } from './architectures.ts';
import { builtBinary } from './built-binary.ts';
import { releasedAt } from './debian-changelog.ts';

const root = path.resolve(import.meta.dirname, '..');
const COPIED = ['dist/plantgate.1', 'dist/THIRD-PARTY-LICENSES', 'LICENSE', 'README.md', 'SECURITY.md', 'CHANGELOG.md'];

/** The program installs itself, with manual page and completion. */
const INSTALL = `#!/bin/sh
set -eu
exec "$(dirname "$0")/plantgate" install "$@"
`;

function buildTarball(arch: Architecture): void {
  const name = `plantgate-${manifest.version}-linux-${arch}`;
  const stage = path.join(root, 'build', `stage-tarball-${arch}`);
  const folder = path.join(stage, name);
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  copyFileSync(builtBinary(arch), path.join(folder, 'plantgate'));
  for (const file of COPIED) copyFileSync(path.join(root, file), path.join(folder, path.basename(file)));
  copyFileSync(path.join(root, `dist/sbom-linux-${arch}.cdx.json`), path.join(folder, 'sbom.cdx.json'));
  writeFileSync(path.join(folder, 'install.sh'), INSTALL, { mode: 0o755 });
  const out = path.join(root, 'dist', `${name}.tar.gz`);
  const time = releasedAt(readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8')).toISOString();
  const same = ['--sort=name', `--mtime=${time}`, '--owner=0', '--group=0', '--numeric-owner'];
  execFileSync('tar', ['-C', stage, ...same, '--use-compress-program=gzip -n', '-cf', out, name]);
  console.log(`built ${path.relative(root, out)} ${(statSync(out).size / 2 ** 20).toFixed(1)} MiB`);
}

for (const arch of wantedArchitectures(process.argv.slice(2))) buildTarball(arch);
