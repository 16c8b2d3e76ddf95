import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { works } from '../this-computer.ts';
import { oddMqttGateway } from './odd-gateway.ts';
import { behavesAsADevice, SampleDevice, speaksMqtt5 } from './sample-behaviour.ts';

const folder = path.resolve(import.meta.dirname, '../../firmware-samples/c');
const STRICT = ['-std=c99', '-Wall', '-Wextra', '-Werror', '-pedantic', '-g'];
const out = mkdtempSync(path.join(tmpdir(), 'plantgate-c-'));
const device = path.join(out, 'device');
const checks = path.join(out, 'checks');

function compile(output: string, ...files: readonly string[]): void {
  execFileSync('gcc', [...STRICT, '-I', folder, '-o', output, ...files], { cwd: folder, stdio: 'pipe' });
}

describe('the C sample', () => {
  beforeAll(() => {
    compile(device, 'main.c', 'plantgate.c', 'mqtt.c');
    compile(checks, path.join(import.meta.dirname, 'c/checks.c'), 'plantgate.c', 'mqtt.c');
  });
  afterAll(() => rmSync(out, { recursive: true, force: true }));

  behavesAsADevice(() => ({ command: [device], transport: 'mqtt', takesPassword: true }));

  const underValgrind = works('valgrind', '--version')
    ? ['valgrind', '--quiet', '--leak-check=full', '--error-exitcode=9', device]
    : null;

  it.each([
    [
      'on the topic of another machine',
      'RF-02',
      /^gateway: message: 0x87: publishes on .*1\/status, which it may not: /,
    ],
    ['of an unknown machine', 'RF-09', /^gateway: message: 0x99: machineId: found "RF-09", expected RF-01, whose/],
  ])('P-REASON works over MQTT 5, and prints why a status %s is refused', (_, machineId, reason) =>
    speaksMqtt5({ command: underValgrind ?? [device], transport: 'mqtt' }, machineId, reason),
  );

  it('passes the tests of its core: times, texts, broken packets', () => {
    const under = works('valgrind', '--version') ? ['valgrind', '--quiet', '--error-exitcode=9'] : [];
    const [command = '', ...words] = [...under, checks];
    expect(execFileSync(command, words, { encoding: 'utf8' })).toMatch(/^\d+ checks passed\n$/);
  });

  it.runIf(underValgrind)('makes no memory error', async () => {
    const odd = await oddMqttGateway('{"runEnabled":true,"attentionNeeded":false,"message":"\\u00e4 \\" x"}');
    const started = new SampleDevice({ command: underValgrind ?? [], transport: 'mqtt' }, odd.port, 60_000);
    await started.decides(/run=1/);
    expect(await started.end()).toBe(0);
    odd.close();
  });
});
