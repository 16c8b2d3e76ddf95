import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { oddMqttGateway } from './odd-gateway.ts';
import { behavesAsADevice, SampleDevice } from './sample-behaviour.ts';

const samples = path.resolve(import.meta.dirname, '../../firmware-samples');
const shim = path.join(import.meta.dirname, 'arduino');
const out = mkdtempSync(path.join(tmpdir(), 'plantgate-esp32-'));
const device = path.join(out, 'device');

describe('the ESP32 sample', () => {
  beforeAll(() => {
    const folders = ['-I', shim, '-I', path.join(samples, 'esp32'), '-I', path.join(samples, 'c')];
    const compile = (compiler: string, ...words: readonly string[]) =>
      execFileSync(compiler, [...folders, '-Wall', '-Wextra', '-Werror', ...words], { cwd: out, stdio: 'pipe' });
    const core = ['plantgate.c', 'mqtt.c'].map((name) => path.join(samples, 'c', name));
    compile('gcc', '-std=c99', '-c', ...core);
    compile('g++', '-std=c++17', '-o', device, path.join(shim, 'main.cpp'), 'plantgate.o', 'mqtt.o');
  });
  afterAll(() => rmSync(out, { recursive: true, force: true }));

  // A microcontroller never ends normally: its last will announces its loss.
  behavesAsADevice(() => ({
    command: [device],
    transport: 'mqtt',
    presence: 'until its end',
    takesPassword: true,
  }));

  it('counts the cycles of the machine while it waits for a gateway that does not answer', async () => {
    // Two connections that nobody answers for 5 s. During the second one the machine runs by override, five cycles a second.
    const odd = await oddMqttGateway('{"runEnabled":true,"attentionNeeded":false,"message":null}', 2);
    const started = new SampleDevice({ command: [device], transport: 'mqtt' }, odd.port, 500);
    try {
      await vi.waitFor(() => expect(odd.statuses.length).toBeGreaterThan(0), { timeout: 30_000 });
      expect(JSON.parse(odd.statuses[0] ?? '').cycle).toBeGreaterThan(15);
    } finally {
      await started.end('SIGKILL');
      odd.close();
    }
  });
});
