import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayUnderTest, startGateway } from './gateway-under-test.ts';

const folder = path.resolve(import.meta.dirname, '../../../docs/monitoring');

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

describe('docs/monitoring', () => {
  it.each(['plantgate-alerts.yaml', 'plantgate-dashboard.json'])(
    '%s asks only for metrics that exist',
    async (file) => {
      const metrics = await (await fetch(`http://127.0.0.1:${gateway.port}/metrics`)).text();
      const known = new Set([...metrics.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
      const asked = [
        ...readFileSync(path.join(folder, file), 'utf8').matchAll(/\b(?:plantgate|nodejs|process)_[a-z0-9_]+/g),
      ];
      expect(asked.length).toBeGreaterThan(8);
      expect(asked.map(([name]) => name).filter((name) => !known.has(name))).toEqual([]);
    },
  );
});
