import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { EarlyThread } from '../../../src/adapters/store/client/store-thread.ts';
import { runGateway } from '../../../src/cli/commands/run.ts';
import { PROGRAM_FILE } from '../../bundle-program.ts';
import { NODE_COMPILE_CACHE, Program } from '../../end-to-end/program.ts';
import { fakeIo, programUnderTest } from '../program-under-test.ts';

const NEVER_OPENS = new URL('data:text/javascript,setInterval(() => undefined, 1_000)');

it('run ends within five seconds if the database is not open yet', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'plantgate-run-'));
  const environment = { PLANTGATE_HTTP_PORT: '0', PLANTGATE_MQTT_PORT: '0', PLANTGATE_LOG_LEVEL: 'error' };
  const io = fakeIo(environment);
  const request = { environment, cwd, hostName: 'gate', timeZone: 'UTC' };
  const earlyThread = new EarlyThread(NEVER_OPENS);
  const ended = runGateway({ role: 'gateway', request, storeThreadEntry: NEVER_OPENS, earlyThread }, io);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const sinceMs = performance.now();
  io.end();
  expect(await ended).toBe(0);
  expect(performance.now() - sinceMs).toBeLessThan(5_000);
});

it('D-63 run keeps the gatewayId of its first start, and tells another host name', { timeout: 60_000 }, async () => {
  const dir = Program.prepare();
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const runOnce = async () => {
    const program = await Program.start({ dir });
    const { body } = await program.api('GET', '/system');
    await program.stop();
    return { gatewayId: body.gatewayId, log: program.log.join('\n') };
  };
  const first = await runOnce();
  expect(first.gatewayId).toBe(hostname());
  const file = join(dir, 'data', 'gateway-id');
  expect(readFileSync(file, 'utf8')).toBe(`${hostname()}\n`);
  expect(first.log).not.toContain('another one now');
  writeFileSync(file, 'the-name-before\n');
  const second = await runOnce();
  expect(second.gatewayId).toBe('the-name-before');
  expect(second.log).toContain('the host name is another one now');
});

it('run names the set-up code also in a log that leaves plain information out', async () => {
  const dir = Program.prepare({ settings: 'log: { level: warn }\n' });
  const child = spawn(process.execPath, [PROGRAM_FILE, 'run'], {
    cwd: dir,
    env: { ...process.env, NODE_COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(dir, { recursive: true });
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const { level, setUpCode } = JSON.parse(line);
    expect(level).toBe('warn');
    if (setUpCode === undefined) continue;
    expect(setUpCode).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/);
    return;
  }
  throw new Error('no set-up code');
});

it.each([
  [
    'an unknown command',
    ['bogus'],
    "error: unknown command or argument 'bogus'",
    'plantgate --help lists the commands',
  ],
  ['an argument too many', ['run', 'bogus'], "error: unknown command or argument 'bogus'", 'plantgate --help lists'],
  [
    'a mistyped command',
    ['chek'],
    "error: unknown command or argument 'chek'\n(Did you mean check?)",
    'plantgate --help',
  ],
  [
    'help for an unknown command',
    ['help', 'key', 'creat'],
    "error: unknown command or argument 'creat'\n(Did you mean create?)",
    'plantgate help --help explains the command',
  ],
  [
    'a missing option',
    ['key', 'create'],
    "error: required option '--principal <name>' not specified",
    'plantgate key create --help explains the command',
  ],
])('%s ends with 64, what is wrong and where help is', async (_, words, wrong, help) => {
  const cli = programUnderTest();
  const { exitCode, err } = await cli.run(...words);
  cli.cleanUp();
  expect([exitCode, ...err]).toEqual([64, wrong, expect.stringContaining(help)]);
});

it.each([
  { words: ['help'], shown: 'Edge gateway for roll-forming machines' },
  { words: ['help', 'doctor'], shown: 'Usage: plantgate doctor' },
  { words: ['help', 'key', 'create'], shown: 'Usage: plantgate key create' },
])('$words explains the command', async ({ words, shown }) => {
  const cli = programUnderTest();
  const { exitCode, out } = await cli.run(...words);
  cli.cleanUp();
  expect({ exitCode, text: out.join('\n') }).toEqual({ exitCode: 0, text: expect.stringContaining(shown) });
});
