import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkServiceAccess } from '../../../src/cli/commands/doctor/check-service-access.ts';
import { installationIn } from '../../../src/cli/commands/service/installation.ts';
import { loadConfig } from '../../../src/config/load-config.ts';

/** The files belong to the user of the test; the service's user is another one, with or without the same group. */
const [USER, GROUP] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
const [STRANGER, STRANGERS] = [USER + 12_345, GROUP + 12_345];

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'plantgate-access-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

interface Case {
  readonly uid: number;
  readonly gid: number;
  readonly modes: Readonly<Record<string, number>>;
  /** The members of the files' group. */
  readonly members?: string;
}

async function found({ uid, gid, modes, members = 'other' }: Case): Promise<readonly string[]> {
  const installation = installationIn(root);
  mkdirSync(path.join(installation.configDir), { recursive: true });
  mkdirSync(path.join(root, 'backups'));
  writeFileSync(path.join(root, 'etc/group'), `ssl-cert:x:${GROUP}:${members}\n`);
  writeFileSync(path.join(root, 'etc/passwd'), `plantgate:x:${uid}:${gid}::/var/lib/plantgate:/usr/sbin/nologin\n`);
  writeFileSync(path.join(installation.configDir, 'plant.yaml'), 'machines: []\n');
  writeFileSync(
    installation.config,
    `dataDir: ${root}/data\nplant: ./plant.yaml\nstorage: { backups: { directory: ${root}/backups } }\n`,
  );
  for (const [place, mode] of Object.entries(modes)) chmodSync(path.join(root, place), mode);
  const request = { environment: {}, cwd: root, hostName: 'here', timeZone: 'UTC', file: installation.config };
  const { config, sources } = loadConfig(request);
  const findings = await checkServiceAccess(config, sources.file, installation);
  return findings.map((finding) => finding.found.replaceAll(`${root}/`, ''));
}

const OPEN = { 'etc/plantgate': 0o750, 'etc/plantgate/plantgate.yaml': 0o640, 'etc/plantgate/plant.yaml': 0o640 };
const FINE = ['plantgate may read its files'];

it.each<readonly [string, Case, readonly string[]]>([
  ['their group is that of the service', { uid: STRANGER, gid: GROUP, modes: { ...OPEN, backups: 0o770 } }, FINE],
  [
    'their group has the service as a member',
    { uid: STRANGER, gid: STRANGERS, members: 'other,plantgate', modes: { ...OPEN, backups: 0o770 } },
    FINE,
  ],
  ['the service owns them', { uid: USER, gid: STRANGERS, modes: { ...OPEN, backups: 0o700 } }, FINE],
  [
    'they were copied as another user',
    { uid: STRANGER, gid: STRANGERS, modes: { ...OPEN, backups: 0o755 } },
    [
      'by its mode etc/plantgate may not be entered by the user plantgate',
      'by its mode etc/plantgate/plantgate.yaml may not be read by the user plantgate',
      'by its mode etc/plantgate/plant.yaml may not be read by the user plantgate',
      'by its mode backups may not be written by the user plantgate',
    ],
  ],
  [
    'one file is for its owner only',
    { uid: STRANGER, gid: GROUP, modes: { ...OPEN, 'etc/plantgate/plant.yaml': 0o600, backups: 0o777 } },
    ['by its mode etc/plantgate/plant.yaml may not be read by the user plantgate'],
  ],
])('the doctor reports the files that the service may not use: %s', async (_, files, expected) => {
  expect(await found(files)).toEqual(expected);
});
