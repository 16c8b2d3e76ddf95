import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { hasCurl } from '../this-computer.ts';
import { NODE_COMPILE_CACHE } from './program.ts';

const root = path.resolve(import.meta.dirname, '../..');
const LINE_TIMEOUT_MS = 15_000;
const COMMAND = /^ {4}(?:curl|mosquitto_\w+|for) /;
const hasMosquitto = existsSync('/usr/bin/mosquitto_pub');

let demo: ChildProcess;
const printed: string[] = [];

beforeAll(async () => {
  const words = ['demo', '--machines', '3', '--port', '0', '--mqtt-port', '0'];
  demo = spawn(process.execPath, [path.join(root, 'src/main.ts'), ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE },
  });
  if (demo.stdout === null) throw new Error('the demo has no output');
  createInterface({ input: demo.stdout }).on('line', (line) => printed.push(line));
  await vi.waitFor(() => expect(printed.join('\n')).toContain('Ctrl-C ends the demo'), 60_000);
}, 90_000);

afterAll(async () => {
  const ended = new Promise((resolve) => demo.once('exit', resolve));
  demo.kill('SIGTERM');
  await ended;
}, 30_000);

/**
 * Runs a line like a person who copies it into a shell. A program that listens for ever is ended by its first message.
 */
function run(line: string): Promise<{ readonly code: number; readonly output: string }> {
  const bounded = line
    .trim()
    .replace(/^mosquitto_sub /, 'mosquitto_sub -C 1 ')
    .replace('seq 2 300', 'seq 2 4');
  return new Promise((resolve) => {
    execFile('sh', ['-c', bounded], { timeout: LINE_TIMEOUT_MS, maxBuffer: 64_000_000 }, (error, output, told) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: output + told }),
    );
  });
}

it('every line that the demo prints works as printed', { timeout: 180_000 }, async () => {
  const commands = printed.filter((line) => COMMAND.test(line));
  expect(commands.length).toBeGreaterThanOrEqual(12);
  for (const line of commands) {
    if (line.includes(' curl ') && !hasCurl) continue;
    if (line.includes('mosquitto_') && !hasMosquitto) continue;
    // This one hears only the machine that the lines before it let send.
    if (line.includes('my-machine/#')) void run(printed.find((other) => other.includes('for n in')) ?? '');
    const { code, output } = await run(line);
    expect(code, `${line}\n${output}`).toBe(0);
    if (line.includes('mosquitto_pub')) continue;
    expect(output, line).not.toBe('');
    // One line shows on purpose the answer to a device that leaves fields out.
    const isMistake = line.includes('/api/device/status');
    expect(/"errors"/.test(output), `${line}\n${output}`).toBe(isMistake);
  }
});

it.runIf(hasMosquitto && hasCurl)(
  'the machine that these lines connect is in the gateway, and may run',
  { timeout: 60_000 },
  async () => {
    const [machines = ''] = printed.filter((line) => line.endsWith('/api/local/machines'));
    const publish = printed.find((line) => line.includes('mosquitto_pub')) ?? '';
    await run(publish);
    const { output } = await run(machines);
    const mine = JSON.parse(output).find(({ machineId }: { readonly machineId: string }) => machineId === 'MY-01');
    expect(mine).toMatchObject({ name: 'My machine', decision: { runEnabled: true } });
  },
);
