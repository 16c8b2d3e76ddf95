// npm run build:deb [-- x64 arm64]: dist/plantgate_VERSION_ARCH.deb from the binaries in dist. Needs dpkg-deb.
// DEBFULLNAME and DEBEMAIL name its maintainer.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import manifest from '../package.json' with { type: 'json' };
import { completionScript } from '../src/cli/commands/completion/completion-script.ts';
import { manPage } from '../src/cli/commands/completion/help-files.ts';
import { allCommands } from './all-commands.ts';
import { type Architecture, DEBIAN_ARCHITECTURE, wantedArchitectures } from './architectures.ts';
import { builtBinary } from './built-binary.ts';
import { debianChangelog, releasedAt } from './debian-changelog.ts';
import { maintainerOrLocal } from './maintainer.ts';

/** Debian's tools take it from the same variables. */
const MAINTAINER = maintainerOrLocal(process.env);

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file));
const packed = (content: string | Buffer) => gzipSync(content, { level: 9 });

/** The installed files and their places; each mode is 0644 unless it says otherwise. */
function filesOf(
  arch: Architecture,
): Readonly<Record<string, { readonly content: string | Buffer; readonly mode?: number }>> {
  const tree = allCommands();
  const doc = 'usr/share/doc/plantgate';
  return {
    'usr/bin/plantgate': { content: readFileSync(builtBinary(arch)), mode: 0o755 },
    'usr/lib/systemd/system/plantgate.service': { content: read('systemd/plantgate.service') },
    'usr/lib/sysusers.d/plantgate.conf': { content: read('packaging/debian/sysusers.conf') },
    'usr/lib/tmpfiles.d/plantgate.conf': { content: read('packaging/debian/tmpfiles.conf') },
    // postinst puts it into /etc, unless a configuration is there: dpkg would delete one of its own at a purge, also if it
    // is in use by an installation without the package.
    'usr/share/plantgate/plantgate.yaml': { content: read('systemd/plantgate.yaml') },
    'usr/share/man/man1/plantgate.1.gz': { content: packed(manPage(tree)) },
    'usr/share/bash-completion/completions/plantgate': { content: `${completionScript('bash', tree)}\n` },
    'usr/share/zsh/vendor-completions/_plantgate': { content: `${completionScript('zsh', tree)}\n` },
    'usr/share/fish/vendor_completions.d/plantgate.fish': { content: `${completionScript('fish', tree)}\n` },
    'usr/share/lintian/overrides/plantgate': { content: read('packaging/debian/lintian-overrides') },
    [`${doc}/copyright`]: { content: read('packaging/debian/copyright') },
    [`${doc}/changelog.gz`]: { content: packed(debianChangelog(read('CHANGELOG.md').toString(), MAINTAINER)) },
    [`${doc}/README.md`]: { content: read('README.md') },
    [`${doc}/SECURITY.md`]: { content: read('SECURITY.md') },
    ...documents(doc),
    [`${doc}/THIRD-PARTY-LICENSES.gz`]: { content: packed(read('dist/THIRD-PARTY-LICENSES')) },
    [`${doc}/sbom.cdx.json.gz`]: { content: packed(read(`dist/sbom-linux-${arch}.cdx.json`)) },
  };
}

/** Everything that the README leads to, unpacked, so that its links work. */
function documents(doc: string): Readonly<Record<string, { readonly content: Buffer }>> {
  const names = readdirSync(path.join(root, 'docs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
  return Object.fromEntries(names.map((name) => [`${doc}/${name}`, { content: read(name) }]));
}

function place(stage: string, file: string, content: string | Buffer, mode = 0o644): void {
  const target = path.join(stage, file);
  mkdirSync(path.dirname(target), { recursive: true, mode: 0o755 });
  writeFileSync(target, content);
  chmodSync(target, mode);
}

function control(arch: Architecture, installedBytes: number): string {
  return [
    'Package: plantgate',
    `Version: ${manifest.version}`,
    `Architecture: ${DEBIAN_ARCHITECTURE[arch]}`,
    `Maintainer: ${MAINTAINER}`,
    `Installed-Size: ${Math.ceil(installedBytes / 1_024)}`,
    'Depends: libc6 (>= 2.34), libstdc++6, libgcc-s1, passwd',
    'Recommends: openssl, systemd | systemd-sysv',
    'Section: misc',
    'Priority: optional',
    'Description: edge gateway for roll-forming machines',
    ' plantgate stands beside roll-forming machines. Their controllers report status',
    ' over MQTT or HTTP and learn within milliseconds whether they may run. Decisions',
    ' are local; production is recorded and forwarded to a central server.',
    '',
  ].join('\n');
}

function buildDeb(arch: Architecture): void {
  const stage = path.join(root, 'build', `stage-deb-${arch}`);
  rmSync(stage, { recursive: true, force: true });
  const files = Object.entries(filesOf(arch));
  for (const [file, { content, mode }] of files) place(stage, file, content, mode);
  const bytes = files.reduce((sum, [file]) => sum + statSync(path.join(stage, file)).size, 0);
  const sums = files.map(([file, { content }]) => `${createHash('md5').update(content).digest('hex')}  ${file}\n`);
  place(stage, 'DEBIAN/control', control(arch, bytes));
  place(stage, 'DEBIAN/md5sums', sums.join(''));
  for (const script of ['preinst', 'postinst', 'prerm', 'postrm']) {
    place(stage, `DEBIAN/${script}`, read(`packaging/debian/${script}`), 0o755);
  }
  const out = path.join(root, 'dist', `plantgate_${manifest.version}_${DEBIAN_ARCHITECTURE[arch]}.deb`);
  // The same sources give the same bytes: owners and times do not depend on the builder and the time of the build.
  const env = {
    ...process.env,
    SOURCE_DATE_EPOCH: String(releasedAt(read('CHANGELOG.md').toString()).getTime() / 1_000),
  };
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '-z1', '--build', stage, out], { stdio: 'ignore', env });
  console.log(`built ${path.relative(root, out)} ${(statSync(out).size / 2 ** 20).toFixed(1)} MiB`);
}

for (const arch of wantedArchitectures(process.argv.slice(2))) buildDeb(arch);
