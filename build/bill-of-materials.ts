import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A package whose code is in the binary. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** The SPDX expression of the license. */
  readonly license: string;
  readonly licenseText: string;
  /** The integrity of its archive in the registry, from the lockfile; null for parts that are not npm packages. */
  readonly integrity: string | null;
  /** Libraries that are compiled into it; its licence text has their licences. */
  readonly parts?: readonly { readonly name: string; readonly version: string }[];
}

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly integrity?: string } | undefined>>;
}

const root = path.resolve(import.meta.dirname, '..');
const FOLDER = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;
const LICENSE_FILE = /^(licen[cs]e|copying)/i;

/** The packages that files belong to, each once, by name. Files of our own belong to none. */
export function packagesOf(files: readonly string[]): readonly BundledPackage[] {
  const folders = files.flatMap((file) => FOLDER.exec(path.resolve(root, file))?.[1] ?? []);
  return [...new Set(folders)]
    .map(readPackage)
    .toSorted((one, other) => (`${one.name}@${one.version}` < `${other.name}@${other.version}` ? -1 : 1));
}

/** A package by its folder in node_modules. */
export function readPackage(folder: string): BundledPackage {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  if (typeof license !== 'string') throw new Error(`${folder}/package.json: license: expected an SPDX expression`);
  return { name, version, license, licenseText: licenseTextIn(folder), integrity: lockedIntegrity(folder) };
}

/** The integrity of a package's archive by the lockfile; null if the lockfile has none. `folder` is its place in node_modules. */
export function lockedIntegrity(folder: string): string | null {
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as Lockfile;
  return lock.packages[path.relative(root, folder)]?.integrity ?? null;
}

/** Node for an architecture, which is one release for all. The package of this computer's is installed, the others are not. */
export function nodeRuntime(arch: string): BundledPackage {
  const folder = (name: string) => path.join(root, 'node_modules', name);
  const name = `node-linux-${arch}`;
  const node = readPackage(folder(`node-linux-${process.arch}`));
  return { ...node, name, integrity: lockedIntegrity(folder(name)), parts: partsOfNode(process.versions) };
}

/** Entries that are no libraries: Node itself, and versions of interfaces and data. */
const NO_LIBRARIES = ['node', 'modules', 'napi', 'cldr', 'tz', 'unicode'];

/** The libraries compiled into Node, such as OpenSSL, from `process.versions`. A library that a build lacks has an empty version. */
export function partsOfNode(versions: Readonly<Record<string, string | undefined>>) {
  return Object.entries(versions).flatMap(([name, version]) =>
    version === undefined || version === '' || NO_LIBRARIES.includes(name) ? [] : [{ name, version }],
  );
}

function licenseTextIn(folder: string): string {
  const file = readdirSync(folder).find((name) => LICENSE_FILE.test(name));
  return file === undefined ? '' : readFileSync(path.join(folder, file), 'utf8').trim();
}

/** One text with the licence of every package. */
export function licenseTexts(packages: readonly BundledPackage[]): string {
  const parts = packages.map(({ name, version, license, licenseText }) => {
    const text =
      licenseText === '' ? `${license}, as its package.json says; it has no file with the text.` : licenseText;
    return `${name} ${version}\nLicence: ${license}\n\n${text}\n`;
  });
  return `plantgate contains the following software of others.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

/** The bill of materials as CycloneDX 1.6. The same packages give the same bytes. */
export function cycloneDx(version: string, packages: readonly BundledPackage[]): string {
  const components = packages.map((bundled) => component(bundled));
  const digest = createHash('sha256')
    .update(JSON.stringify([version, components]))
    .digest('hex');
  const serial = [digest.slice(0, 8), digest.slice(8, 12), `5${digest.slice(13, 16)}`, `8${digest.slice(17, 20)}`];
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${[...serial, digest.slice(20, 32)].join('-')}`,
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': 'plantgate', name: 'plantgate', version } },
    components,
    dependencies: [{ ref: 'plantgate', dependsOn: components.map((part) => part['bom-ref']) }],
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}

function component({ name, version, license, integrity, parts }: BundledPackage) {
  const isOfNpm = integrity !== null;
  const purl = isOfNpm ? `pkg:npm/${name.replace('@', '%40')}@${version}` : genericPurl({ name, version });
  const [, scope, bare = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
  return {
    type: 'library',
    'bom-ref': purl,
    ...(scope !== undefined && { group: scope }),
    name: bare,
    version,
    licenses: [/ (OR|AND|WITH) /.test(license) ? { expression: license } : { license: { id: license } }],
    purl,
    ...(isOfNpm && { hashes: [{ alg: 'SHA-512', content: hexOf(integrity) }] }),
    ...(parts !== undefined && {
      components: parts.map((part) => ({ type: 'library', ...part, purl: genericPurl(part) })),
    }),
  };
}

function genericPurl({ name, version }: { readonly name: string; readonly version: string }): string {
  return `pkg:generic/${name}@${version}`;
}

function hexOf(integrity: string): string {
  return Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
}

const PAGE_MODULES = path.join(root, 'dist/page-modules.json');

/** The foreign modules in the page, as its build listed them. */
export function pageModules(): readonly string[] {
  if (!existsSync(PAGE_MODULES)) throw new Error(`${PAGE_MODULES} is missing: npm run build:page makes it`);
  return JSON.parse(readFileSync(PAGE_MODULES, 'utf8')) as readonly string[];
}
