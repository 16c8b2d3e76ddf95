import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { works } from '../this-computer.ts';
import { oddMqttGateway } from './odd-gateway.ts';
import { behavesAsADevice, SampleDevice } from './sample-behaviour.ts';

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
    compile(device, 'main.c', 'plantgate.c', 'mqtt311.c');
    compile(checks, path.join(import.meta.dirname, 'c/checks.c'), 'plantgate.c', 'mqtt311.c');
  });
  afterAll(() => rmSync(out, { recursive: true, force: true }));

  behavesAsADevice(() => ({ command: [device], transport: 'mqtt', takesPassword: true }));

  it('passes the tests of its core: times, texts, broken packets', () => {
    const under = works('valgrind', '--version') ? ['valgrind', '--quiet', '--error-exitcode=9'] : [];
    const [command = '', ...words] = [...under, checks];
    expect(execFileSync(command, words, { encoding: 'utf8' })).toMatch(/^\d+ checks passed\n$/);
  });

  it.runIf(works('valgrind', '--version'))('makes no memory error', async () => {
    const odd = await oddMqttGateway('{"runEnabled":true,"attentionNeeded":false,"message":"\\u00e4 \\" x"}');
    const command = ['valgrind', '--quiet', '--leak-check=full', '--error-exitcode=9', device];
    const started = new SampleDevice({ command, transport: 'mqtt' }, odd.port, 60_000);
    await started.decides(/run=1/);
    expect(await started.end()).toBe(0);
    odd.close();
  });
});
