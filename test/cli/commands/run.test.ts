import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
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

describe('D-110 plantgate central', () => {
  const WITHOUT_MQTT = 'http: { host: 127.0.0.1, port: 0 }\n';
  const start = async (settings: string, environment: NodeJS.ProcessEnv = {}) => {
    const dir = Program.prepare({ plant: '{}' });
    writeFileSync(join(dir, 'plantgate.yaml'), settings);
    const program = await Program.start({
      dir,
      command: 'central',
      environment: { ...process.env, NODE_COMPILE_CACHE, ...environment },
    });
    onTestFinished(async () => {
      await program.kill();
      program.cleanUp();
    });
    return program;
  };
  const examined = async ({ dir }: Program) => {
    const child = spawn(process.execPath, [PROGRAM_FILE, 'doctor', '--json'], {
      cwd: dir,
      env: { ...process.env, NODE_COMPILE_CACHE },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const { findings } = JSON.parse(await text(child.stdout));
    return (check: string) => findings.find((finding: { readonly check: string }) => finding.check === check);
  };

  it('opens no MQTT, and nothing misses it', { timeout: 60_000 }, async () => {
    const program = await start(WITHOUT_MQTT);
    expect(program.mqttPort).toBe(null);
    expect(program.log.find((line) => line.includes('"msg":"ready"'))).not.toContain('mqtt://');
    expect(await program.get('/readyz')).toMatchObject({ status: 200 });
    expect((await program.api('GET', '/system')).body.addresses).toMatchObject({ mqttPort: null, mqttTlsPort: null });
    expect(JSON.parse((await program.get('/asyncapi.json')).text).servers).toEqual({});
    expect((await program.get('/docs')).text).toContain('not opened at this server');
    const finding = await examined(program);
    expect(finding('mqtt.port')).toMatchObject({ state: 'ok', found: expect.stringMatching(/^not opened/) });
    expect(finding('broker')).toEqual({ check: 'broker', state: 'ok', found: 'not asked, as no MQTT is opened' });
    expect(finding('discovery')).toMatchObject({ state: 'ok', found: 'nothing listens on a network' });
    const channel = { name: 'Shop', kind: 'topic', topic: 'plantgate/alerts/hall' };
    const { channelId } = (await program.api('POST', '/alerts/channels', channel)).body;
    expect((await program.api('POST', `/alerts/channels/${channelId}/test`, {})).body).toMatchObject({
      detail: expect.stringContaining('opens no MQTT'),
    });
  });

  it.each([
    { by: 'file', settings: `${WITHOUT_MQTT}mqtt: { host: 127.0.0.1, port: 0 }\n`, environment: {} },
    { by: 'environment', settings: WITHOUT_MQTT, environment: { PLANTGATE_MQTT_PORT: '0' } },
  ])('opens MQTT if the $by names it', { timeout: 60_000 }, async ({ settings, environment }) => {
    const program = await start(settings, environment);
    expect(program.mqttPort).toBeGreaterThan(0);
    expect((await examined(program))('broker')).toMatchObject({ found: expect.stringContaining('is accepted on') });
  });
});
