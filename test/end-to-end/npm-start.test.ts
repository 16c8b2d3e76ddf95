import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { Program } from './program.ts';

const root = path.resolve(import.meta.dirname, '../..');

it('npm start passes SIGTERM on to the gateway, which ends with 0', { timeout: 60_000 }, async () => {
  const dir = Program.prepare();
  const words = ['start', '--prefix', root, '--', '--config', path.join(dir, 'plantgate.yaml')];
  const child = spawn('npm', words, { stdio: ['ignore', 'pipe', 'inherit'], cwd: root });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (!line.includes('"msg":"ready"')) continue;
    break;
  }
  const { httpPort } = JSON.parse(lines.at(-1) ?? '{}');
  child.stdout.resume();
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
  await expect(fetch(`http://127.0.0.1:${httpPort}/healthz`)).rejects.toThrow('fetch failed');
});
