import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { reload } from '../../src/cli/reload.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import type { LeveledLog } from '../../src/flows/ports.ts';
import { quietLog } from '../adapters/store/open-test-store.ts';

const certificates = path.join(import.meta.dirname, '../adapters/broker/certificates');

it.each([
  ['an authority at another path', 'ca.pem', 'new-ca.pem', []],
  ['an authority where there was none', null, 'ca.pem', ['mqtt.tls.ca']],
  ['no authority any more', 'ca.pem', null, ['mqtt.tls.ca']],
])(
  'SIGHUP names the authority of client certificates among the keys that need a restart only if it came or went: %s',
  async (_, before, after, needRestart) => {
    const dir = mkdtempSync(path.join(tmpdir(), 'plantgate-reload-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    for (const [from, to] of [
      ['authority.pem', 'ca.pem'],
      ['authority.pem', 'new-ca.pem'],
      ['server.pem', 'server.pem'],
      ['server.key', 'server.key'],
    ] as const) {
      copyFileSync(path.join(certificates, from), path.join(dir, to));
    }
    const request = { environment: {}, cwd: dir, hostName: 'here', timeZone: 'UTC' };
    const configured = (ca: string | null) => {
      const authority = ca === null ? '' : `, ca: ./${ca}`;
      writeFileSync(
        path.join(dir, 'plantgate.yaml'),
        `mqtt: { tls: { cert: ./server.pem, key: ./server.key${authority} } }\n`,
      );
      return loadConfig(request).config;
    };
    const started = configured(before);
    configured(after);
    const told: object[] = [];
    const note = (fields: object) => {
      told.push(fields);
    };
    const log: LeveledLog = { ...quietLog, level: 'info', info: note, error: note };
    await reload({ request, started, gateway: { reloadTls: async () => undefined }, log });
    expect(told).toEqual([{ logLevel: 'info', needRestart }]);
  },
);
