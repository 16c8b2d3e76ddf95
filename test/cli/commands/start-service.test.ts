import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startAndWatch } from '../../../src/cli/commands/service/install.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'plantgate-systemctl-'));
  vi.stubEnv('PATH', `${dir}:${process.env.PATH}`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true });
});

/** systemd, which carries out a start by `start`, and then says `state`. */
function systemd(start: string, state = 'ActiveState=activating\nSubState=start'): void {
  const script = `#!/bin/sh\ncase "$1" in\n  show) echo "${state}" ;;\n  *) ${start} ;;\nesac\n`;
  writeFileSync(path.join(dir, 'systemctl'), script, { mode: 0o755 });
}

const TAKES_LONG = 'exec sleep 30';
const WATCH_MS = 300;

describe('the start of the service by plantgate install', () => {
  it('is done when it serves', () => {
    systemd('exit 0');
    expect(startAndWatch('start', WATCH_MS)).toEqual({ outcome: 'done', text: 'systemctl start plantgate.service' });
  });

  it('is no failure if it takes long, as with a large database', () => {
    systemd(TAKES_LONG);
    expect(startAndWatch('restart', WATCH_MS)).toEqual({
      outcome: 'done',
      text: expect.stringMatching(/restart plantgate.service: it is still starting, .* "journalctl -fu plantgate"/),
    });
  });

  it.each([
    [
      'ends at once',
      'echo "the control process exited" >&2; exit 1',
      undefined,
      'ended with 1: the control process exited',
    ],
    ['has failed', TAKES_LONG, 'ActiveState=failed\nSubState=failed', 'ETIMEDOUT'],
    ['is tried again', TAKES_LONG, 'ActiveState=activating\nSubState=auto-restart', 'ETIMEDOUT'],
  ])('is a failure if it %s', (_, start, state, complaint) => {
    systemd(start, state);
    expect(startAndWatch('start', WATCH_MS)).toEqual({ outcome: 'failed', text: expect.stringContaining(complaint) });
  });
});
