// npm run build:update [-- x64 arm64]: dist/plantgate-VERSION-linux-ARCH.update from the binaries in dist, signed with the key
// that PLANTGATE_RELEASE_KEY names.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { NEWEST_SCHEMA } from '../src/adapters/store/thread/database/migrations.ts';
import { type Architecture, wantedArchitectures } from './architectures.ts';
import { builtBinary } from './built-binary.ts';
import { releasedAt } from './debian-changelog.ts';
import { isTrusted, releaseKey } from './release-signing.ts';
import { writeUpdate } from './update-archive.ts';

const root = path.resolve(import.meta.dirname, '..');

async function buildUpdate(arch: Architecture): Promise<void> {
  const key = releaseKey(process.env);
  const out = path.join(root, 'dist', `plantgate-${manifest.version}-linux-${arch}.update`);
  const source = {
    binary: builtBinary(arch),
    version: manifest.version,
    arch,
    schema: NEWEST_SCHEMA,
    // The same sources give the same bytes.
    created: releasedAt(readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8')),
  };
  const { bytes, sha256 } = await writeUpdate(out, source, key);
  console.log(`built ${path.relative(root, out)} ${(bytes / 2 ** 20).toFixed(1)} MiB, program sha256 ${sha256}`);
  if (!isTrusted(key)) {
    console.warn(
      'No release trusts this key. Gateways take it if its public key is in /etc/plantgate/update-keys.pem.',
    );
  }
}

for (const arch of wantedArchitectures(process.argv.slice(2))) await buildUpdate(arch);
