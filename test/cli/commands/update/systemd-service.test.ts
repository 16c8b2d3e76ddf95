import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemdService } from '../../../../src/cli/commands/update/update-command.ts';

/** systemd as far as an update sees it: a start that does not wait is carried out later, and resets the count then. */
const SYSTEMCTL = `#!/bin/sh
cd "$(dirname "$0")"
echo "$*" >> calls
case "$1" in
  show) cat state ;;
  reset-failed) printf 'ActiveState=inactive\\nNRestarts=0\\n' > state ;;
esac
`;

const { PATH: searchPath } = process.env;
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'plantgate-systemctl-'));
  writeFileSync(path.join(dir, 'systemctl'), SYSTEMCTL);
  chmodSync(path.join(dir, 'systemctl'), 0o755);
  process.env.PATH = `${dir}:${searchPath}`;
});
afterEach(() => {
  process.env.PATH = searchPath;
  rmSync(dir, { recursive: true });
});

it.each([
  ['crashes before its start', 'ActiveState=inactive\nNRestarts=3\n'],
  ['a stop that systemd took for a failure before its start', 'ActiveState=failed\nNRestarts=0\n'],
])('a version is not judged by %s', async (_, stateBefore) => {
  writeFileSync(path.join(dir, 'state'), stateBefore);
  const service = systemdService({ resumeUnit: path.join(dir, 'unit') });
  expect(service.failure()).not.toBeNull();
  await service.stop();
  await service.start();
  expect(service.failure()).toBeNull();
  expect(readFileSync(path.join(dir, 'calls'), 'utf8').split('\n')).toContain('start --no-block plantgate.service');
});

it('a version is not judged by a systemctl that fails', () => {
  writeFileSync(path.join(dir, 'state'), 'ActiveState=failed\nNRestarts=0\n');
  const service = systemdService({ resumeUnit: path.join(dir, 'unit') });
  expect(service.failure()).toBe('systemd has given it up');
  writeFileSync(path.join(dir, 'systemctl'), `${SYSTEMCTL}exit 1\n`);
  expect(service.failure()).toBeNull();
});
