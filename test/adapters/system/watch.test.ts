import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it, type TestContext } from 'vitest';
import { WATCHED_PROCESS_FILE } from '../../bundle-program.ts';

/** The watchdog is fed every 300 ms. */
const WATCHDOG_USEC = '900000';
const FAULT_AFTER_MS = 2_000;

interface Watched {
  readonly told: () => readonly string[];
  readonly stderr: () => string;
}

function startWatched(fault: string, { onTestFinished }: TestContext): Watched {
  const dir = mkdtempSync(path.join(tmpdir(), 'plantgate-watch-'));
  const file = path.join(dir, 'told');
  const notify = path.join(dir, 'systemd-notify');
  writeFileSync(notify, `#!/bin/sh\necho "$*" >> "$NOTIFY_SOCKET"\n`);
  chmodSync(notify, 0o755);
  const environment = { ...process.env, PATH: `${dir}:${process.env.PATH}`, NOTIFY_SOCKET: file, WATCHDOG_USEC };
  const child = spawn(process.execPath, [WATCHED_PROCESS_FILE, fault], {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(dir, { recursive: true, force: true });
  });
  const told = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);
  return { told, stderr: () => stderr };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const fed = ({ told }: Watched) => told().filter((words) => words === 'WATCHDOG=1 READY=1 --no-block').length;

/** The number of feedings in the second and a half before the fault and, once the fault is known, after it. */
async function feedings(
  watched: Watched,
  knownAfterMs: number,
  { expect }: TestContext,
): Promise<{ before: number; after: number }> {
  await expect.poll(() => fed(watched), { timeout: 20_000 }).toBeGreaterThan(0);
  await pause(FAULT_AFTER_MS - 500);
  const before = fed(watched);
  await pause(knownAfterMs + 500);
  const known = fed(watched);
  await pause(1_200);
  return { before, after: fed(watched) - known };
}

/** The tests wait for real time side by side. */
describe.concurrent('the watch', { timeout: 40_000 }, () => {
  it.for([
    ['nothing is wrong', '', true],
    ['the main thread is stuck', 'mainStuck', false],
    ['the store thread is gone', 'storeGone', false],
    ['the store thread waits for a disk', 'storeWaits', true],
    ['a new store thread opens a large database', 'storeOpens', true],
  ] as const)(
    'systemd hears that the gateway serves, and the watchdog is fed or not if %s',
    async ([, fault, isFed], test) => {
      const { expect } = test;
      const watched = startWatched(fault, test);
      const { before, after } = await feedings(watched, 1_500, test);
      expect(watched.told()[0]).toBe('READY=1');
      expect(before).toBeGreaterThanOrEqual(3);
      expect(after > 0).toBe(isFed);
    },
  );

  it('the log reports a late main thread with its present work, and its return', async (test) => {
    const { expect } = test;
    const watched = startWatched('mainStuck', test);
    await expect.poll(watched.stderr, { timeout: 20_000 }).toContain('the main thread is back');
    const [late] = watched.stderr().split('\n');
    expect(JSON.parse(late ?? '')).toMatchObject({
      level: 'warn',
      msg: 'the main thread is late',
      state: 'R',
      processor: expect.stringMatching(/^\d+ %$/),
    });
  });
});
