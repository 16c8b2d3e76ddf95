import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DEBIAN_PACKAGES, debianFile } from '../../build/debian-packages.ts';
import { installationIn, installationOf } from '../../src/cli/commands/service/installation.ts';
import { loadConfig } from '../../src/config/load-config.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const dir = mkdtempSync(path.join(tmpdir(), 'plantgate-packages-'));
afterAll(() => rmSync(dir, { recursive: true }));

/** The settings of a unit file, with all values of each. */
function settingsOf(unit: string): ReadonlyMap<string, readonly string[]> {
  const settings = new Map<string, string[]>();
  for (const [, name = '', value = ''] of read(`systemd/${unit}`).matchAll(/^(\w+)=(.*)$/gm)) {
    settings.set(name, [...(settings.get(name) ?? []), value]);
  }
  return settings;
}

describe.each(DEBIAN_PACKAGES)('D-110 the package $name', (deb) => {
  const { name, binary, scripts } = deb;

  it('has scripts with its own names alone', () => {
    for (const script of [...scripts, 'sysusers.conf', 'tmpfiles.conf', 'lintian-overrides', 'copyright']) {
      const text = debianFile(script, deb);
      expect(text).not.toMatch(/@[A-Z]+@/);
      if (!scripts.includes(script)) continue;
      const file = path.join(dir, `${name}-${script}`);
      writeFileSync(file, text);
      execFileSync('sh', ['-n', file]);
    }
  });

  it('has a service that the program knows by its files', () => {
    const settings = settingsOf(`${name}.service`);
    const installation = installationIn('/', name);
    expect(installation.binary).toBe(`/${binary}`);
    expect(settings.get('ExecStart')?.[0]).toMatch(
      new RegExp(`^/${binary} (run|central) --config ${installation.config}$`),
    );
    expect([settings.get('User'), settings.get('Group')]).toEqual([[name], [name]]);
    expect(settings.get('WorkingDirectory')).toEqual([installation.dataDir]);
    expect(settings.get('Environment')?.[0]).toBe(
      `PKG_NATIVE_CACHE_PATH=${installation.cacheDir} HOME=${installation.dataDir}`,
    );
    for (const place of [installation.config, installation.dataDir, `${installation.dataDir}/plants/tulsa`]) {
      expect(installationOf(place)).toEqual(installation);
    }
  });

  it('brings a configuration without faults', () => {
    const file = path.join(root, `systemd/${name}.yaml`);
    const { config } = loadConfig({ file, environment: {}, cwd: dir, hostName: 'here', timeZone: 'UTC' });
    expect(config.dataDir).toBe(`/var/lib/${name}`);
  });
});

describe('D-110 the service of the central server', () => {
  it('is protected as the service of the gateway is', () => {
    const [gateway, central] = [settingsOf('plantgate.service'), settingsOf('plantgate-central.service')];
    const of = new Set(['Description', 'Documentation', 'After', 'ExecStart', 'User', 'Group', 'WorkingDirectory']);
    for (const own of ['StateDirectory', 'CacheDirectory', 'ConfigurationDirectory', 'Environment']) of.add(own);
    // The gateway decides in real time; a machine waits for its next start.
    for (const own of ['Nice', 'LimitRTPRIO', 'ExecStartPost', 'RestartSec', 'MemoryMax']) of.add(own);
    for (const [name, values] of gateway) if (!of.has(name)) expect([name, central.get(name)]).toEqual([name, values]);
  });

  it('has a command that runs all others for it, except those that would change the package', () => {
    const program = path.join(dir, 'program');
    writeFileSync(program, '#!/bin/sh\nprintf "%s\\n" "$*"\n');
    chmodSync(program, 0o755);
    const script = read('packaging/debian/plantgate-central').replace('/usr/lib/plantgate-central/plantgate', program);
    const run = (...words: readonly string[]) =>
      spawnSync('sh', ['-c', script, 'plantgate-central', ...words], { encoding: 'utf8' });
    expect(run('key', 'create', '--principal', 'line 3').stdout).toBe(
      '--config /etc/plantgate-central/plantgate.yaml key create --principal line 3\n',
    );
    expect(run().stdout).toBe('--config /etc/plantgate-central/plantgate.yaml --help\n');
    expect(run('update', 'a.update')).toMatchObject({ status: 64, stderr: expect.stringContaining('not "update"') });
  });
});

it.each([
  [null, 'plantgate'],
  ['/etc/plantgate-central/plantgate.yaml', 'plantgate-central'],
  ['/etc/plantgate-central-old/plantgate.yaml', 'plantgate'],
  ['/home/ada/plantgate.yaml', 'plantgate'],
])('D-110 the file %s belongs to the service %s', (place, service) => {
  expect(installationOf(place).service).toBe(service);
});
