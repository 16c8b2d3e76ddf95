import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { renameSync } from 'node:fs';
import { chmod, chown, readFile, rm } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { statOrNull } from '../../../config/read-file.ts';
import { errorMessage } from '../../../domain/error-text.ts';
import { DAY_MS } from '../../../domain/time.ts';
import { makeDirectory } from '../../../runtime/disk/make-directory.ts';
import { syncFileAsync } from '../../../runtime/disk/sync-file.ts';
import { type CommandIo, EXIT } from '../../command-io.ts';
import { installationOf } from '../service/installation.ts';
import { findServiceUser } from '../service/service-user.ts';

const AUTHORITY_DAYS = 3_650;
/** Browsers refuse certificates that are valid for longer than 398 days. */
const SERVER_DAYS = 397;
/** The certificate of the authority, beside those that it signed. */
export const AUTHORITY_FILE = 'ca.pem';
/** The standard name of a gateway on its network. This command does not read `discovery.name`. */
const FOUND_AS = 'plantgate.local';
/** X.509 allows 64 characters for a name. That of the authority has 23 before the name of its computer. */
const HOST_NAME_LENGTH = 40;
const NEW_KEY = {
  ec: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
  rsa: ['-newkey', 'rsa:2048', '-nodes'],
} as const;

type KeyKind = keyof typeof NEW_KEY;

/**
 * `plantgate cert DIR`: makes a local authority once, and a new server certificate of it each time. It is for the given
 * names, else for those of the present one. Node cannot sign certificates, so `openssl` does. Gives the exit code.
 */
export async function runCert(
  { dir, hosts, rsa }: { readonly dir: string; readonly hosts: readonly string[]; readonly rsa: boolean },
  io: CommandIo,
): Promise<number> {
  try {
    tellMade(dir, await makeCertificates(dir, hosts, rsa), io);
    return EXIT.done;
  } catch (error) {
    // /proc answers ENOENT as well where a directory cannot be made.
    const isMissing = error instanceof Error && 'syscall' in error && error.syscall === 'spawn openssl';
    io.stderr(
      isMissing ? 'openssl is missing: "apt install openssl" brings it.' : `No certificate: ${errorMessage(error)}`,
    );
    return isMissing ? EXIT.unavailable : EXIT.cannotCreate;
  }
}

interface Made {
  readonly names: readonly string[];
  readonly days: number;
}

/** Gives the names in the server certificate, and how long it is valid. */
async function makeCertificates(dir: string, hosts: readonly string[], rsa: boolean): Promise<Made> {
  const names = hosts.length > 0 ? hosts : ((await presentNames(dir)) ?? ownNames());
  // Existing directories are left unchanged.
  await makeParents(dir);
  if (await makeDirectory(dir, DIRECTORY_MODE)) await letServiceRead(dir, 'directory');
  await makeAuthority(dir, rsa ? 'rsa' : 'ec');
  const { days, kind } = await authorityOf(dir, rsa);
  await makeServer(dir, kind, names, days);
  return { names, days };
}

/** The advice for an authority that has ended, or soon does. */
export function replaceAuthority(dir: string): string {
  return `Move ca.pem and ca.key of ${dir} away, run "plantgate cert ${dir}" and "systemctl reload plantgate", and let browsers and machines trust the new ca.pem.`;
}

function tellMade(dir: string, { names, days }: Made, io: CommandIo): void {
  io.stdout(`${dir}/server.pem is valid for ${days} days, for ${names.join(', ')}`);
  if (days < SERVER_DAYS) io.stdout(`It ends with its authority. To replace that: ${replaceAuthority(dir)}`);
  io.stdout(`Let browsers and machines trust ${dir}/ca.pem, and set in plantgate.yaml:`);
  io.stdout(`http: { tls: { cert: ${dir}/server.pem, key: ${dir}/server.key } }`);
  io.stdout(`mqtt: { tls: { cert: ${dir}/server.pem, key: ${dir}/server.key } }`);
  io.stdout('Where these keys are set already, "systemctl reload plantgate" takes the new certificate.');
}

/** An existing authority stays, because others trust it. */
async function makeAuthority(dir: string, kind: KeyKind): Promise<void> {
  const pem = path.join(dir, AUTHORITY_FILE);
  if ((await statOrNull(pem)) !== null) {
    // Earlier versions left it to the umask.
    await letServiceRead(pem, 'certificate');
    return;
  }
  await makeCertificate(dir, 'ca', [
    ...NEW_KEY[kind],
    ...['-days', String(AUTHORITY_DAYS), '-subj', `/CN=plantgate authority of ${commonName(hostname())}`],
    ...['-addext', 'basicConstraints=critical,CA:TRUE,pathlen:0', '-addext', 'keyUsage=critical,keyCertSign,cRLSign'],
  ]);
}

/**
 * How long a certificate may be valid: nobody accepts it after the end of its authority. Its key is of the authority's
 * kind, because who knows RSA alone cannot check another signature. Throws if less than a day is left.
 */
async function authorityOf(dir: string, rsa: boolean): Promise<{ readonly days: number; readonly kind: KeyKind }> {
  const pem = path.join(dir, AUTHORITY_FILE);
  const { validTo, publicKey } = new X509Certificate(await readFile(pem));
  const kind = publicKey.asymmetricKeyType === 'rsa' ? 'rsa' : 'ec';
  if (rsa && kind !== 'rsa') {
    const move = `Move ca.pem and ca.key of ${dir} away and run this again, or choose another directory`;
    throw new Error(`the authority ${pem} has no RSA key. ${move}; browsers and machines must trust the new ca.pem.`);
  }
  const daysLeft = Math.floor((Date.parse(validTo) - Date.now()) / DAY_MS);
  if (daysLeft < 1) throw new Error(`the authority ${pem} is valid only until ${validTo}. ${replaceAuthority(dir)}`);
  return { days: Math.min(daysLeft, SERVER_DAYS), kind };
}

async function makeServer(dir: string, kind: KeyKind, names: readonly string[], days: number): Promise<void> {
  const alternatives = names.map((name) => `${/^[\d.]+$|:/.test(name) ? 'IP' : 'DNS'}:${name}`).join(',');
  await makeCertificate(dir, 'server', [
    ...NEW_KEY[kind],
    ...['-days', String(days), '-subj', `/CN=${commonName(names[0] ?? 'plantgate')}`],
    ...['-CA', path.join(dir, AUTHORITY_FILE), '-CAkey', path.join(dir, 'ca.key')],
    ...['-addext', `subjectAltName=${alternatives}`, '-addext', 'extendedKeyUsage=serverAuth'],
    ...['-addext', 'basicConstraints=critical,CA:FALSE'],
  ]);
}

/** openssl takes a slash for the next field. */
function commonName(name: string): string {
  return name.replaceAll('/', '-').slice(0, HOST_NAME_LENGTH);
}

/**
 * The key and the certificate appear under their names only as whole files, also after a power cut. Only a power cut
 * between the two renames leaves a new key beside an old certificate.
 */
async function makeCertificate(dir: string, name: 'ca' | 'server', words: readonly string[]): Promise<void> {
  const [key, pem] = [path.join(dir, `${name}.key`), path.join(dir, `${name}.pem`)];
  const [newKey, newPem] = [`${key}.new`, `${pem}.new`];
  try {
    await promisify(execFile)('openssl', ['req', '-x509', '-keyout', newKey, '-out', newPem, ...words]);
    await (name === 'ca' ? keepForRoot(newKey) : letServiceRead(newKey, 'key'));
    await letServiceRead(newPem, 'certificate');
    await syncFileAsync(newKey);
    await syncFileAsync(newPem);
    // Nothing else is done between the two renames, so that a power cut hardly comes between them.
    renameSync(newKey, key);
    renameSync(newPem, pem);
    await syncFileAsync(dir);
  } finally {
    await rm(newKey, { force: true });
    await rm(newPem, { force: true });
  }
}

/** The names in the present server certificate; null if the directory has no certificate. */
async function presentNames(dir: string): Promise<readonly string[] | null> {
  const file = path.join(dir, 'server.pem');
  if ((await statOrNull(file)) === null) return null;
  const { subjectAltName } = new X509Certificate(await readFile(file));
  return subjectAltName?.split(', ').map((name) => name.replace(/^(DNS|IP Address):/, '')) ?? null;
}

/** The names and addresses by which others reach this computer. Some responders, like avahi, announce the host name. */
function ownNames(): readonly string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const reachable = addresses.filter(({ address }) => !address.startsWith('fe80:')).map(({ address }) => address);
  const announced = `${hostname().split('.')[0]}.local`;
  return [...new Set([hostname(), FOUND_AS, announced, 'localhost', ...reachable])];
}

const DIRECTORY_MODE = 0o750;
const PARENT_MODE = 0o755;
const OWNER_ONLY = 0o600;

/** The modes are set, because a strict umask would make what the service cannot read. */
const MODES = { directory: DIRECTORY_MODE, certificate: 0o644, key: 0o640 } as const;

/** Makes the missing directories above a place. Everybody may enter them. */
async function makeParents(place: string): Promise<void> {
  const parent = path.dirname(place);
  if (parent === place) return;
  await makeParents(parent);
  if (await makeDirectory(parent)) await chmod(parent, PARENT_MODE);
}

/** Lets the group of the service read a place. A key has this mode only with that group. */
async function letServiceRead(place: string, kind: keyof typeof MODES): Promise<void> {
  const user = process.getuid?.() === 0 ? findServiceUser(installationOf(place)) : undefined;
  if (user !== undefined) await chown(place, 0, user.gid);
  await chmod(place, kind === 'key' && user === undefined ? OWNER_ONLY : MODES[kind]);
}

/** The key of the authority: who has it can make certificates that browsers trust. */
async function keepForRoot(place: string): Promise<void> {
  await chmod(place, OWNER_ONLY);
}
