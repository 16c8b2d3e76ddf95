import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkServiceAccess } from '../../../src/cli/commands/doctor/check-service.ts';
import type { Finding } from '../../../src/cli/commands/doctor/finding.ts';
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
  /** The certificate, below the root; its key is beside it. */
  readonly certificate?: string;
}

async function found(files: Case): Promise<readonly string[]> {
  return (await findingsOf(files)).map((finding) => finding.found.replaceAll(`${root}/`, ''));
}

async function findingsOf({ uid, gid, modes, members = 'other', certificate }: Case): Promise<readonly Finding[]> {
  const installation = installationIn(root);
  mkdirSync(path.join(installation.configDir), { recursive: true });
  mkdirSync(path.join(root, 'backups'));
  writeFileSync(path.join(root, 'etc/group'), `ssl-cert:x:${GROUP}:${members}\n`);
  writeFileSync(path.join(root, 'etc/passwd'), `plantgate:x:${uid}:${gid}::/var/lib/plantgate:/usr/sbin/nologin\n`);
  writeFileSync(path.join(installation.configDir, 'plant.yaml'), 'machines: []\n');
  writeFileSync(
    installation.config,
    `dataDir: ${root}/data\nplant: ./plant.yaml\nstorage: { backups: { directory: ${root}/backups } }\n${certificate === undefined ? '' : tlsIn(certificate)}`,
  );
  for (const [place, mode] of Object.entries(modes)) chmodSync(path.join(root, place), mode);
  const request = { environment: {}, cwd: root, hostName: 'here', timeZone: 'UTC', file: installation.config };
  const { config, sources } = loadConfig(request);
  return await checkServiceAccess(config, sources.file, installation);
}

function tlsIn(certificate: string): string {
  const file = path.join(root, certificate);
  mkdirSync(path.dirname(file), { recursive: true });
  for (const name of [file, `${file}.key`]) if (!existsSync(name)) writeFileSync(name, '', { mode: 0o644 });
  return `http: { tls: { cert: ${file}, key: ${file}.key } }\n`;
}

const OPEN = {
  etc: 0o755,
  'etc/plantgate': 0o750,
  'etc/plantgate/plantgate.yaml': 0o640,
  'etc/plantgate/plant.yaml': 0o640,
};
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

const SERVED = { uid: STRANGER, gid: GROUP, modes: { ...OPEN, backups: 0o770 } };

it('the doctor names a directory far above a certificate that the service may not enter, and another place', async () => {
  const modes = { ...SERVED.modes, srv: 0o700, 'srv/tls': 0o755 };
  const findings = await findingsOf({ ...SERVED, modes, certificate: 'srv/tls/server.pem' });
  expect(findings).toEqual([
    {
      check: 'service access',
      state: 'warning',
      found: `by its mode ${root}/srv may not be entered by the user plantgate`,
      remedy: `Move the files to ${root}/etc/plantgate, and name them there in plantgate.yaml.`,
    },
  ]);
});

it.each(['root/server.pem', 'home/pat/tls/server.pem', 'tmp/server.pem'])(
  'the doctor says that the unit file hides %s, whatever its mode',
  async (certificate) => {
    const findings = await findingsOf({ ...SERVED, certificate });
    expect(findings).toHaveLength(2);
    expect(findings[0]).toMatchObject({
      state: 'warning',
      found: `the unit file hides ${path.join(root, certificate.split('/')[0] ?? '')} from the service, and so ${path.join(root, certificate)}`,
      remedy: expect.stringContaining(`Move the files to ${root}/etc/plantgate`),
    });
  },
);

it('the doctor follows a symbolic link to a certificate in a hidden directory', async () => {
  mkdirSync(path.join(root, 'root'));
  mkdirSync(path.join(root, 'etc/plantgate'), { recursive: true });
  writeFileSync(path.join(root, 'root/real.pem'), '');
  symlinkSync(path.join(root, 'root/real.pem'), path.join(root, 'etc/plantgate/server.pem'));
  expect(await found({ ...SERVED, certificate: 'etc/plantgate/server.pem' })).toEqual([
    'the unit file hides root from the service, and so etc/plantgate/server.pem',
  ]);
});

it.each([
  ['the directory', 'data', STRANGER],
  // Only root can give the directory to another user.
  ...(process.getuid?.() === 0 ? [['a file that root made in it', 'data/settings.json', STRANGER] as const] : []),
  ['none', null, USER],
] as const)("the doctor names a place of the data directory that is not the service's: %s", async (_, place, uid) => {
  mkdirSync(path.join(root, 'data/lost+found'), { recursive: true });
  writeFileSync(path.join(root, 'data/settings.json'), '');
  if (place === 'data/settings.json') chownSync(path.join(root, 'data'), STRANGER, GROUP);
  const findings = await findingsOf({ ...SERVED, uid });
  const found = place && {
    check: 'service access',
    state: 'fault',
    found: `${root}/${place} belongs to user ${USER}, not to plantgate`,
    remedy: `Give all of it to the service: "chown -R plantgate:plantgate ${root}/data".`,
  };
  expect(findings.filter(({ state }) => state === 'fault')).toEqual(found === null ? [] : [found]);
});
