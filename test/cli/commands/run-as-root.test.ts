import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { installationIn } from '../../../src/cli/commands/service/installation.ts';
import { obstacleForRoot } from '../../../src/cli/commands/service/run-as-root.ts';

const SERVICE = 4_711;
const isRoot = process.getuid?.() === 0;

it.runIf(isRoot).each([
  ['the service', 'the service', 0, true],
  ['the service', 'the service', SERVICE, false],
  ['root', 'the service', 0, false],
  ['the service', 'nobody', 0, false],
  ['missing', 'the service', 0, false],
] as const)('a data directory of %s on a computer of %s is refused to user %i: %s', (owner, user, uid, isRefused) => {
  const root = mkdtempSync(path.join(tmpdir(), 'plantgate-root-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const dataDir = path.join(root, 'data');
  mkdirSync(path.join(root, 'etc'));
  if (user === 'the service') writeFileSync(path.join(root, 'etc/passwd'), `plantgate:x:${SERVICE}:${SERVICE}::/:/\n`);
  if (owner !== 'missing') mkdirSync(dataDir);
  if (owner === 'the service') chownSync(dataDir, SERVICE, SERVICE);
  const obstacle = obstacleForRoot(dataDir, installationIn(root), uid);
  expect(obstacle).toEqual(isRefused ? expect.stringContaining(`${dataDir} belongs to the service`) : null);
});

it.runIf(isRoot)('D-110 the obstacle names the service of the central server', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'plantgate-root-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const installation = installationIn(root, 'plantgate-central');
  mkdirSync(path.join(root, 'etc'));
  mkdirSync(installation.dataDir, { recursive: true });
  writeFileSync(path.join(root, 'etc/passwd'), `plantgate-central:x:${SERVICE}:${SERVICE}::/:/\n`);
  chownSync(installation.dataDir, SERVICE, SERVICE);
  expect(obstacleForRoot(installation.dataDir, installation, 0)).toContain(
    '"systemctl start plantgate-central", or run it as its user with "runuser -u plantgate-central -- plantgate-central central"',
  );
});
