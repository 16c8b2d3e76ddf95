import { expect, it } from 'vitest';
import { checkDiscovery } from '../../../src/cli/commands/doctor/doctor.ts';
import { loadConfig } from '../../../src/config/load-config.ts';

function config(environment: NodeJS.ProcessEnv) {
  return loadConfig({ environment, cwd: '/nonexistent', hostName: 'gate', timeZone: 'UTC' }).config;
}

const LOOPBACK = { PLANTGATE_HTTP_HOST: '127.0.0.1', PLANTGATE_MQTT_HOST: '127.0.0.1' };

it.each([
  ['it is switched off', { PLANTGATE_DISCOVERY_ENABLED: 'false' }, 'switched off by discovery.enabled'],
  ['no gateway runs', {}, 'not asked, as no gateway runs that would answer for plantgate.local'],
])('the check sends no question for the name if %s', async (_, environment, found) => {
  expect(await checkDiscovery(config(environment), null)).toEqual({ check: 'discovery', state: 'ok', found });
});

const running = {
  addresses: { httpPort: 8080, deviceHttpPort: null, mqttPort: 1883, mqttTlsPort: null, mqttAccess: 'open' as const },
  certificatesUntilMs: new Map<string, number>(),
};

it('the check sends no question if no service listens on a network', async () => {
  expect(await checkDiscovery(config(LOOPBACK), running)).toMatchObject({
    state: 'ok',
    found: 'nothing listens on a network',
  });
});

it('the check gives advice if no computer answers', async () => {
  const asked = config({ PLANTGATE_DISCOVERY_NAME: 'nobody-has-this-name' });
  expect(await checkDiscovery(asked, running)).toMatchObject({
    state: 'warning',
    remedy: expect.stringContaining('UDP port 5353'),
  });
});
