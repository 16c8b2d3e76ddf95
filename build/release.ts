// npm run release [-- x64 arm64]: every artefact of a release in dist, with SHA256SUMS and its signature. Needs dpkg-deb,
// PLANTGATE_RELEASE_KEY for a key that the release itself trusts, and DEBFULLNAME and DEBEMAIL for the package's maintainer.
import { execFileSync } from 'node:child_process';
import { createHash, sign } from 'node:crypto';
import { createReadStream, existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { type Architecture, DEBIAN_ARCHITECTURE, wantedArchitectures } from './architectures.ts';
import { DEBIAN_PACKAGES } from './debian-packages.ts';
import { releaseObstacles } from './release-obstacles.ts';
import { releaseKey } from './release-signing.ts';

const dist = path.resolve(import.meta.dirname, '../dist');
const STEPS = ['build:binary', 'build:deb', 'build:tarball', 'build:update'];

function artefacts(arch: Architecture): readonly string[] {
  const { version } = manifest;
  const name = `plantgate-${version}-linux-${arch}`;
  return [
    `plantgate-linux-${arch}`,
    `sbom-linux-${arch}.cdx.json`,
    ...DEBIAN_PACKAGES.map((deb) => `${deb.name}_${version}_${DEBIAN_ARCHITECTURE[arch]}.deb`),
    `${name}.tar.gz`,
    `${name}.update`,
  ];
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path.join(dist, file))) hash.update(piece);
  return hash.digest('hex');
}

const wanted = wantedArchitectures(process.argv.slice(2));
const obstacles = releaseObstacles(process.env);
if (obstacles.length > 0) {
  for (const obstacle of obstacles) console.error(`no release: ${obstacle}`);
  process.exit(1);
}
const key = releaseKey(process.env);
for (const step of STEPS) execFileSync('npm', ['run', step, '--', ...wanted], { stdio: 'inherit' });
const files = [...wanted.flatMap(artefacts), 'LICENSE', 'THIRD-PARTY-LICENSES'];
const missing = files.filter((file) => !existsSync(path.join(dist, file)));
if (missing.length > 0) throw new Error(`missing in dist: ${missing.join(', ')}`);
const lines = await Promise.all(files.map(async (file) => `${await sha256(file)}  ${file}\n`));
writeFileSync(path.join(dist, 'SHA256SUMS'), lines.join(''));
writeFileSync(path.join(dist, 'SHA256SUMS.sig'), sign(null, Buffer.from(lines.join('')), key));
console.log(`${files.length} files, SHA256SUMS and SHA256SUMS.sig are in dist`);
