import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { serviceEnvironment, settingsOf } from '../../../src/cli/commands/service/service-environment.ts';
import { useCli } from '../program-under-test.ts';

vi.mock('../../../src/cli/commands/service/system-programs.ts', async (original) => ({
  ...(await original<object>()),
  isSystemdRunning: () => true,
}));

const cli = useCli();
afterEach(() => vi.unstubAllEnvs());

it.each([['check'], ['status'], ['doctor']])(
  '%s takes a key that only the unit of the service gives',
  async (command) => {
    writeFileSync(
      path.join(cli.dir, 'plantgate.yaml'),
      `dataDir: ${cli.dir}\nupstream: { url: "http://127.0.0.1:1" }\n`,
    );
    expect(await cli.run(command)).toMatchObject({ exitCode: 78 });
    cli.serviceEnvironment = { PLANTGATE_UPSTREAM_API_KEY: 'k' };
    expect((await cli.run(command)).exitCode).not.toBe(78);
  },
);

it('settings of a unit are read as systemd prints and reads them', () => {
  const [first, second] = ['first.env', 'second.env'].map((name) => path.join(cli.dir, name));
  const missing = path.join(cli.dir, 'missing.env');
  writeFileSync(
    first ?? '',
    [
      '# PLANTGATE_MQTT_PORT=1',
      'PLANTGATE_UPSTREAM_API_KEY=a#b\\\\c \r',
      ' PLANTGATE_GATEWAY_ID = "gate \\"1\\" \\n"',
      "PLANTGATE_PLANT='a \\ b'",
      'export PLANTGATE_HTTP_HOST=x',
    ].join('\n'),
  );
  writeFileSync(second ?? '', 'PLANTGATE_PLANT=later');
  const properties = [
    'Environment=HOME=/root "PLANTGATE_SHIFTS={ timeZone: \\"UTC\\" }" PLANTGATE_GATEWAY_ID=unit PLANTGATE_LOG_LEVEL=warn',
    `EnvironmentFiles=${first} (ignore_errors=no)`,
    `EnvironmentFiles=${missing} (ignore_errors=yes)`,
  ];
  const expected = {
    PLANTGATE_SHIFTS: '{ timeZone: "UTC" }',
    PLANTGATE_LOG_LEVEL: 'warn',
    PLANTGATE_UPSTREAM_API_KEY: 'a#b\\c',
    PLANTGATE_GATEWAY_ID: 'gate "1" \\n',
    PLANTGATE_PLANT: 'a \\ b',
  };
  expect(settingsOf(properties.join('\n'))).toEqual(expected);
  const more = [...properties, `EnvironmentFiles=${second} (ignore_errors=no)`];
  expect(settingsOf(more.join('\n'))).toEqual({ ...expected, PLANTGATE_PLANT: 'later' });
  expect(settingsOf('Environment=\n')).toEqual({});
  expect(() => settingsOf(`EnvironmentFiles=${cli.dir} (ignore_errors=no)`)).toThrow('found EISDIR, expected a file');
});

it.each([
  ["echo 'Environment=PLANTGATE_PLANT=a'", { PLANTGATE_PLANT: 'a' }, []],
  [
    'echo no bus >&2; exit 1',
    {},
    ['The settings in the unit of the service are not known: systemctl ended with 1: no bus'],
  ],
])('a systemctl that does "%s" gives %j', (program, settings, told) => {
  writeFileSync(path.join(cli.dir, 'systemctl'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${cli.dir}:${process.env.PATH}`);
  const lines: string[] = [];
  expect(serviceEnvironment('plantgate', (line) => void lines.push(line))).toEqual(settings);
  expect(lines).toEqual(told);
});
