import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import lockfile from '../package-lock.json' with { type: 'json' };
import type { Architecture } from './architectures.ts';

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
}

/** What `npm sbom` prints, as far as it is read here. */
interface Bom {
  readonly metadata: { readonly component: object };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
}

const root = path.resolve(import.meta.dirname, '..');
const LICENSE_FILE = /^(licen[cs]e|copying)/i;
const locked: Readonly<Record<string, LockedPackage>> = lockfile.packages;

/** The installed packages that the program depends on: `name@version` and the folder. */
function shippedPackages(arch: Architecture): ReadonlyMap<string, string> {
  const folders = Object.keys(locked).filter((folder) => folder !== '' && locked[folder]?.dev !== true);
  const named = folders.map((folder) => [folder.split('node_modules/').at(-1) ?? '', folder] as const);
  const ofArchitecture = named.filter(([name]) => !/^node-(linux|win)-/.test(name) || name === `node-linux-${arch}`);
  return new Map(ofArchitecture.map(([name, folder]) => [`${name}@${locked[folder]?.version}`, folder]));
}

/**
 * The bill of materials by `npm sbom`, with what is compiled into Node and the addon and has advisories of its own. The
 * same packages give the same bytes. `npm sbom --omit=dev` would leave out packages that development needs as well.
 */
export function cycloneDx(arch: Architecture): string {
  const printed = execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'], { cwd: root });
  const { metadata, components, dependencies, ...bom } = JSON.parse(printed.toString()) as Bom;
  const shipped = shippedPackages(arch);
  const isShipped = (ref: string) => shipped.has(ref);
  const document = {
    ...bom,
    serialNumber: undefined,
    metadata: { component: { ...metadata.component, type: 'application', name: 'plantgate' } },
    components: [...components.filter((component) => isShipped(component['bom-ref'])), ...compiledIn()],
    dependencies: dependencies
      .filter(({ ref }) => isShipped(ref) || ref.startsWith('plantgate@'))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(isShipped) })),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function compiledIn(): readonly (Component & object)[] {
  const { node, openssl = '' } = process.versions;
  const database = new Database(':memory:');
  const sqlite = String(database.prepare('SELECT sqlite_version()').pluck().get());
  database.close();
  return Object.entries({ node, openssl, sqlite }).map(([name, version]) => {
    const purl = `pkg:generic/${name}@${version}`;
    return { type: 'library', 'bom-ref': purl, name, version, purl };
  });
}

/**
 * One text with the licence of every package. Node's has those of the libraries compiled into it; that of another
 * architecture is not installed, and is the same. SQLite is in the public domain.
 */
export function licenseTexts(architectures: readonly Architecture[]): string {
  const packages = new Map(architectures.flatMap((arch) => [...shippedPackages(arch)]));
  const parts = [...packages].map(([named, folder]) => {
    const { license = '' } = locked[folder] ?? {};
    return `${named.replace(/@([^@]+)$/, ' $1')}\nLicence: ${license}\n\n${licenseTextIn(folder) || `${license}, as its package.json says; it has no file with the text.`}\n`;
  });
  const sqlite = 'sqlite\nThe author disclaims copyright to this source code: https://www.sqlite.org/copyright.html\n';
  return `plantgate contains the following software of others.\n\n${[...parts, sqlite].join(`\n${'-'.repeat(80)}\n\n`)}`;
}

function licenseTextIn(lockedFolder: string): string {
  const folder = path.join(root, lockedFolder.replace(/node-linux-\w+$/, `node-linux-${process.arch}`));
  const file = readdirSync(folder).find((name) => LICENSE_FILE.test(name));
  return file === undefined ? '' : readFileSync(path.join(folder, file), 'utf8').trim();
}
