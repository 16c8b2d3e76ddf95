import '../../src/cli/commands/backup/take-backup.ts';
import '../../src/cli/commands/check.ts';
import '../../src/cli/commands/doctor/doctor.ts';
import '../../src/cli/load-config-or-exit-code.ts';
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { EarlyThread } from '../../src/adapters/store/client/store-thread.ts';
import { runGateway } from '../../src/cli/commands/run.ts';
import { threadEntry } from '../adapters/store/open-test-store.ts';
import { asNobody, fakeIo, useCli } from './program-under-test.ts';

const FAULT = 'plantgate.yaml: file: found EACCES, expected a file to read';

const cli = useCli();
beforeEach(() => {
  chmodSync(path.join(cli.dir, 'plantgate.yaml'), 0);
});

it.each(['status', 'restore a.db', 'backup a.db', 'queue list'])(
  'a user who may not read the configuration is told to use sudo (77): %s',
  async (words) => {
    expect(await asNobody(() => cli.run(...words.split(' ')))).toEqual({
      exitCode: 77,
      out: [],
      err: [expect.stringContaining(FAULT), 'Run it with sudo.'],
    });
  },
);

it('the check of a configuration that this user may not read says so (77)', async () => {
  const { exitCode, out } = await asNobody(() => cli.run('check'));
  expect({ exitCode, out }).toEqual({
    exitCode: 77,
    out: [
      expect.stringContaining(FAULT),
      expect.stringContaining('not checked before these are mended'),
      '1 fault; run it with sudo',
    ],
  });
});

it('the doctor gives the same advice (77)', async () => {
  const { exitCode, out } = await asNobody(() => cli.run('doctor', '--json'));
  expect({ exitCode, ...JSON.parse(out.join('')) }).toMatchObject({
    exitCode: 77,
    findings: [
      { check: 'permission', state: 'fault', found: expect.stringContaining(FAULT), remedy: 'Run it with sudo.' },
      { check: 'permission', state: 'fault' },
    ],
  });
});

it('the gateway ends with 78, because systemd would try again after 77', async () => {
  const file = path.join(cli.dir, 'plantgate.yaml');
  const request = { file, environment: {}, cwd: cli.dir, hostName: 'here', timeZone: 'UTC' };
  const io = fakeIo();
  const earlyThread = new EarlyThread(threadEntry);
  expect(
    await asNobody(() => runGateway({ role: 'gateway', request, storeThreadEntry: threadEntry, earlyThread }, io)),
  ).toBe(78);
  expect(io.err).toEqual([expect.stringContaining(FAULT)]);
});
