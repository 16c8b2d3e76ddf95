import { existsSync, readFileSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../../config/config-schema.ts';
import { statOrNull } from '../../../config/read-file.ts';
import { hasCode } from '../../../domain/error-code.ts';
import type { Installation, ServiceName } from '../service/installation.ts';
import { findServiceUser } from '../service/service-user.ts';
import { askProgram } from './ask-program.ts';
import { nearestDir } from './check-directories.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const SERVICE_CHECK = 'service';
const UPDATE_CHECK = 'updates';
const APPLY_PATH = 'plantgate-apply.path';
const PROPERTIES = 'LoadState,ActiveState,SubState,NRestarts,WatchdogUSec,UnitFileState,Result';

const SILENT = warning(SERVICE_CHECK, 'systemd does not answer', 'Look at "systemctl status".');

/** Checks the state of the service in systemd, if the computer runs systemd. */
export async function checkService({ service }: Installation, timeoutMs: number): Promise<Finding> {
  if (!runsSystemd()) return ok(SERVICE_CHECK, 'this computer does not run systemd');
  const answer = await propertiesOf(`${service}.service`, timeoutMs);
  return answer === null ? SILENT : judgeService(answer, service);
}

/** Checks the unit that installs updates of the gateway from the page, if the computer has it. */
export async function checkApplyPath({ service }: Installation, timeoutMs: number): Promise<readonly Finding[]> {
  if (!runsSystemd() || service !== 'plantgate') return [];
  const answer = await propertiesOf(APPLY_PATH, timeoutMs);
  return answer === null ? [] : judgeApplyPath(answer);
}

function runsSystemd(): boolean {
  return existsSync('/run/systemd/system');
}

async function propertiesOf(unit: string, timeoutMs: number): Promise<ReadonlyMap<string, string> | null> {
  const answer = await askProgram('systemctl', ['show', unit, `--property=${PROPERTIES}`], timeoutMs);
  return answer === null ? null : new Map(answer.split('\n').map((line) => split(line)));
}

function split(line: string): readonly [string, string] {
  const place = line.indexOf('=');
  return [line.slice(0, place), line.slice(place + 1)];
}

/** Judges the path unit. After many requests within seconds systemd does not watch any more. */
export function judgeApplyPath(properties: ReadonlyMap<string, string>): readonly Finding[] {
  const of = (name: string) => properties.get(name) ?? '';
  if (of('LoadState') === 'not-found') return [];
  if (of('ActiveState') === 'active') return [ok(UPDATE_CHECK, `${APPLY_PATH} waits for updates from the page`)];
  const found = `${APPLY_PATH} is ${of('ActiveState')}, so an update from the page is not installed`;
  const remedy = `Run "systemctl reset-failed ${APPLY_PATH} plantgate-apply.service", then "systemctl enable --now ${APPLY_PATH}".`;
  return [warning(UPDATE_CHECK, found, remedy)];
}

/** Judges the properties that `systemctl show` gives. */
export function judgeService(properties: ReadonlyMap<string, string>, service: ServiceName): Finding {
  const of = (name: string) => properties.get(name) ?? '';
  if (of('LoadState') === 'not-found') return ok(SERVICE_CHECK, 'not installed; "plantgate install" installs it');
  const state = `${of('ActiveState')} (${of('SubState')})`;
  if (of('ActiveState') !== 'active') {
    return fault(
      SERVICE_CHECK,
      `${state}, result ${of('Result')}`,
      `Read "journalctl -u ${service} -n 50", then "systemctl start ${service}".`,
    );
  }
  if (of('UnitFileState') !== 'enabled') {
    return warning(
      SERVICE_CHECK,
      `${state}, but does not start with the computer`,
      `Run "systemctl enable ${service}".`,
    );
  }
  if (!/^[1-9]/.test(of('WatchdogUSec'))) {
    return warning(
      SERVICE_CHECK,
      `${state}, without a watchdog`,
      'Take the unit file of plantgate: it has WatchdogSec=.',
    );
  }
  if (of('NRestarts') !== '0') {
    return warning(
      SERVICE_CHECK,
      `${state}, restarted ${of('NRestarts')} times`,
      `Read "journalctl -u ${service}" for the reason.`,
    );
  }
  return ok(SERVICE_CHECK, `${state}, watchdog ${of('WatchdogUSec')}`);
}

const ACCESS_CHECK = 'service access';

/** The right to a place: the bit of its mode, and its name. */
const READ = { bit: 4, name: 'read' } as const;
const WRITE = { bit: 2, name: 'written' } as const;
const ENTER = { bit: 1, name: 'entered' } as const;
type Right = typeof READ | typeof WRITE | typeof ENTER;

/** The unit file hides them from the service: ProtectHome=, PrivateTmp=. */
const HIDDEN = ['home', 'root', 'run/user', 'tmp', 'var/tmp'];

interface User {
  readonly name: ServiceName;
  readonly uid: number;
  readonly gids: readonly number[];
}

/** A place that the service uses, and the advice if a directory above keeps the service away. */
interface Need {
  readonly place: string;
  readonly right: Right;
  readonly instead: string;
}

/**
 * Whether the service's user may read the files of the configuration and write the backups. Root may read and write
 * everything, so the other checks do not show this. No finding if the service's user does not exist, or reads another
 * configuration than `configFile`.
 */
export async function checkServiceAccess(
  { dataDir, plant, http, mqtt, storage }: Config,
  configFile: string | null,
  installation: Installation,
): Promise<readonly Finding[]> {
  const user = serviceUser(installation);
  if (user === null || configFile !== installation.config) return [];
  const named = [configFile, plant, http.tls?.cert, http.tls?.key, mqtt.tls?.cert, mqtt.tls?.key, mqtt.tls?.ca];
  const instead = `Move the files to ${installation.configDir}, and name them there in plantgate.yaml.`;
  const needs: Need[] = named.flatMap((place) => (place === undefined ? [] : [{ place, right: READ, instead }]));
  const backups = storage.backups?.directory;
  if (backups !== undefined) {
    needs.push({ place: await nearestDir(backups), right: WRITE, instead: 'Set storage.backups.directory elsewhere.' });
  }
  const findings = await Promise.all([
    foreignFile(dataDir, user),
    ...needs.map((need) => obstaclesTo(need, user, installation)),
  ]);
  const byText = new Map(findings.flat().map((one) => [one.found, one]));
  return byText.size > 0 ? [...byText.values()] : [ok(ACCESS_CHECK, `${user.name} may read its files`)];
}

/** The directory that each file system has for files that it found. It belongs to root. */
const FOUND_FILES = 'lost+found';

/** A file of the data directory, or the directory itself, that is not the service's: root made it, or an earlier user. */
async function foreignFile(dataDir: string, { name: service, uid }: User): Promise<readonly Finding[]> {
  const names = await readdir(dataDir).catch((error: unknown) => {
    // `checkDataDir` says that it is missing, or that this user may not look into it.
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES')) return [];
    throw error;
  });
  const places = [dataDir, ...names.filter((name) => name !== FOUND_FILES).map((name) => path.join(dataDir, name))];
  for (const place of places) {
    const owner = (await statOrNull(place))?.uid ?? uid;
    if (owner === uid) continue;
    const remedy = `Give all of it to the service: "chown -R ${service}:${service} ${dataDir}".`;
    return [fault(ACCESS_CHECK, `${place} belongs to user ${owner}, not to ${service}`, remedy)];
  }
  return [];
}

/** The obstacles on the way to a place, also to that which a symbolic link names. */
async function obstaclesTo(need: Need, user: User, installation: Installation): Promise<readonly Finding[]> {
  const { place, right, instead } = need;
  if ((await statOrNull(place)) === null) return [];
  const { root, configDir } = installation;
  const ways = [place, await realpath(place)];
  const hidden = HIDDEN.map((name) => path.join(root, name)).find((dir) => ways.some((way) => isIn(dir, way)));
  if (hidden !== undefined) {
    return [warning(ACCESS_CHECK, `the unit file hides ${hidden} from the service, and so ${place}`, instead)];
  }
  const directories = [...new Set(ways.flatMap((way) => directoriesAbove(way, root)))];
  const findings = await Promise.all([
    ...directories.map((dir) => accessFinding(user, dir, ENTER, isIn(configDir, dir) ? null : instead)),
    accessFinding(user, place, right, null),
  ]);
  return findings.filter((one) => one !== null);
}

function isIn(directory: string, place: string): boolean {
  return `${place}/`.startsWith(`${directory}/`);
}

function directoriesAbove(place: string, root: string): readonly string[] {
  const parent = path.dirname(place);
  return parent === place || parent === root ? [] : [...directoriesAbove(parent, root), parent];
}

/** Reads the service's user and its groups from `/etc/passwd` and `/etc/group`. Gives null if the user does not exist. */
function serviceUser(installation: Installation): User | null {
  const user = findServiceUser(installation);
  if (user === undefined) return null;
  const file = path.join(installation.root, 'etc/group');
  const lines = existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .map((line) => line.split(':'))
    : [];
  const others = lines.filter(([, , , members = '']) => members.split(',').includes(installation.service));
  return { name: installation.service, uid: user.uid, gids: [user.gid, ...others.map(([, , gid]) => Number(gid))] };
}

/** `instead`: what to do, unless the place itself can be opened. */
async function accessFinding(user: User, place: string, right: Right, instead: string | null): Promise<Finding | null> {
  const stats = await statOrNull(place);
  if (stats === null || may(user, stats, right)) return null;
  const opening =
    right === WRITE
      ? `Make storage.backups.directory for the service: "install -d -m 0700 -o ${user.name} -g ${user.name} …".`
      : `Unless an access list or a group in the unit file permits it: "chgrp ${user.name} ${place}", "chmod g+rX ${place}".`;
  return warning(
    ACCESS_CHECK,
    `by its mode ${place} may not be ${right.name} by the user ${user.name}`,
    instead ?? opening,
  );
}

/** The rule of the kernel, without access lists: the owner's bits, else those of a group, else those of others. */
function may(
  user: User,
  { uid, gid, mode }: { readonly uid: number; readonly gid: number; readonly mode: number },
  { bit }: Right,
): boolean {
  if (uid === user.uid) return ((mode >> 6) & bit) !== 0;
  if (user.gids.includes(gid)) return ((mode >> 3) & bit) !== 0;
  return (mode & bit) !== 0;
}
