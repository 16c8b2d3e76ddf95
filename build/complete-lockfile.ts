// npm run lock: writes package-lock.json again and adds the packages that the present registry did not serve. A mirror
// may lack the builds of a package for other systems; npm then leaves these out of the lockfile, and `npm ci` refuses
// it everywhere.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

interface LockedPackage {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly dev?: boolean;
  readonly [field: string]: unknown;
}

const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'openbsd', 'netbsd', 'sunos', 'aix', 'win32'];

const root = path.resolve(import.meta.dirname, '..');
const file = path.join(root, 'package-lock.json');
execFileSync('npm', ['install', '--package-lock-only'], { cwd: root, stdio: 'inherit' });
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, LockedPackage> };

/** The system and processor in a package name such as `@biomejs/cli-win32-x64`. */
function platformOf(name: string): { os: string[]; cpu: string[] } {
  const words = name.split(/[-/]/);
  const os = words.find((word) => SYSTEMS.includes(word));
  const cpu = words[words.indexOf(os ?? '') + 1];
  if (os === undefined || cpu === undefined) throw new Error(`${name} names no system: add it to the lockfile by hand`);
  return { os: [os], cpu: [cpu] };
}

const added: string[] = [];
for (const { optionalDependencies = {}, dev } of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (lock.packages[`node_modules/${name}`] !== undefined || !/^\d/.test(version)) continue;
    lock.packages[`node_modules/${name}`] = {
      version,
      ...(dev === true && { dev }),
      license: 'SEE LICENSE',
      optional: true,
      ...platformOf(name),
    };
    added.push(name);
  }
}
const sorted = Object.entries(lock.packages).sort(([one], [other]) => (one < other ? -1 : 1));
writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
console.log(`${added.length} packages for other systems added`);
