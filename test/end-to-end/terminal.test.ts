import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { works } from '../this-computer.ts';
import { NODE_COMPILE_CACHE, Program } from './program.ts';

const root = path.resolve(import.meta.dirname, '../..');
const CTRL_C = '\x03';
const START_TIMEOUT_MS = 60_000;

interface Terminal {
  readonly process: ChildProcess;
  /** What the terminal has shown. */
  readonly shown: () => string;
  /** The folder for temporary files of the programs in it. */
  readonly temporary: string;
}

/** Runs a command in a terminal of its own, as a person types it. */
function inTerminal(command: string): Terminal {
  const temporary = mkdtempSync(path.join(tmpdir(), 'plantgate-terminal-'));
  const words = ['--quiet', '--return', '--flush', '--command', command, '/dev/null'];
  const child = spawn('script', words, {
    cwd: root,
    env: { ...process.env, NODE_COMPILE_CACHE, TMPDIR: temporary, SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  child.stdout.on('data', (text) => (shown += text));
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(temporary, { recursive: true, force: true });
  });
  return { process: child, shown: () => shown, temporary };
}

const demosIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('plantgate-demo-'));

async function startDemo(): Promise<Terminal> {
  const terminal = inTerminal('exec npm run demo -- --machines 3 --port 0 --mqtt-port 0');
  await vi.waitFor(() => expect(terminal.shown()).toContain('Ctrl-C ends the demo'), START_TIMEOUT_MS);
  expect(demosIn(terminal.temporary)).toHaveLength(1);
  return terminal;
}

// util-linux has `script`; without it there is no terminal to try this in.
const hasTerminals = works('script', '--version');
if (!hasTerminals) console.warn('The tests of Ctrl-C in a terminal are left out: they need `script` (util-linux).');

it.runIf(hasTerminals)('Ctrl-C under npm ends the demo with 0 and removes its data', { timeout: 90_000 }, async () => {
  const terminal = await startDemo();
  // The terminal sends SIGINT to npm and to the demo, and npm passes its own on.
  terminal.process.stdin?.write(CTRL_C);
  const [code] = await once(terminal.process, 'exit');
  expect(terminal.shown()).toContain('demo ended, its data is removed');
  expect(demosIn(terminal.temporary)).toEqual([]);
  expect(code).toBe(0);
});

it.runIf(hasTerminals)(
  'closing the terminal ends the demo under npm and removes its data',
  {
    timeout: 90_000,
  },
  async () => {
    const terminal = await startDemo();
    terminal.process.kill('SIGKILL');
    await vi.waitFor(() => expect(demosIn(terminal.temporary)).toEqual([]), { timeout: 15_000, interval: 50 });
  },
);

it.runIf(hasTerminals)(
  'Ctrl-C under npm ends the gateway with 0, and its data stays; the settings say that it is started again there',
  { timeout: 90_000 },
  async () => {
    const dir = Program.prepare();
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const terminal = inTerminal(`exec npm start -- --config ${path.join(dir, 'plantgate.yaml')}`);
    await vi.waitFor(() => expect(terminal.shown()).toContain('ready'), START_TIMEOUT_MS);
    const { url, key } = JSON.parse(readFileSync(path.join(dir, 'data', 'local-access.json'), 'utf8'));
    const settings = await fetch(`${url}/api/local/settings`, { headers: { authorization: `ApiKey ${key}` } });
    expect(await settings.json()).toMatchObject({ restart: { by: 'terminal', command: null } });
    terminal.process.stdin?.write(CTRL_C);
    const [code] = await once(terminal.process, 'exit');
    expect({ code, stopped: terminal.shown().includes('stopped') }).toEqual({ code: 0, stopped: true });
    expect(readdirSync(path.join(dir, 'data'))).toContain('plantgate.db');
  },
);
