import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { runningDir } from '../../../src/adapters/system/running-gateways.ts';
import { startBanner } from '../../../src/cli/commands/run.ts';
import { loadConfig } from '../../../src/config/load-config.ts';

const { config } = loadConfig({ environment: {}, cwd: '/nowhere', hostName: 'gate', timeZone: 'UTC' });
const addresses = {
  httpPort: 8_080,
  deviceHttpPort: null,
  mqttPort: 1_883,
  mqttTlsPort: null,
  mqttAccess: 'open' as const,
};

it('the banner gives in at most ten lines the addresses of the gateway and the next steps', () => {
  const banner = startBanner({ config, file: null, addresses, setUpCode: null });
  expect(banner.length).toBeLessThanOrEqual(10);
  const text = banner.join('\n');
  expect(text).toContain(`http://${hostname()}:8080`);
  expect(text).toContain('port 1883');
  expect(text).toContain('built-in defaults');
  expect(text).toContain(`connect a machine: http://${hostname()}:8080/docs`);
});

it('the banner shows the set-up code if no person can sign in yet', () => {
  const text = startBanner({ config, file: '/etc/plantgate/plantgate.yaml', addresses, setUpCode: 'K7QM-2XRT' }).join(
    '\n',
  );
  expect(text).toContain('K7QM-2XRT');
  expect(text).toContain('/etc/plantgate/plantgate.yaml');
});

it.runIf(process.getuid?.() === 0)('a user of a container, who has no name and no home, starts the gateway too', () => {
  vi.stubEnv('HOME', undefined);
  process.seteuid?.(54_321);
  try {
    const banner = startBanner({ config, file: null, addresses, setUpCode: null });
    expect(banner.join('\n')).toContain(config.dataDir);
    expect(runningDir({})).toBe(path.join(tmpdir(), 'plantgate-54321'));
  } finally {
    process.seteuid?.(0);
    vi.unstubAllEnvs();
  }
});
