import assert from 'node:assert';
import { createRequire } from 'node:module';
import { describe, it } from 'vitest';
import { BrokerPersistence } from '../../../src/adapters/broker/persistence/broker-persistence.ts';

const require = createRequire(import.meta.url);
const abstractSuite = require('aedes-persistence/abstract.js') as (options: {
  test: (name: string, run: (context: object) => Promise<void>) => void;
  persistence: () => Promise<BrokerPersistence>;
  testAsync: boolean;
}) => void;

/** The suite is written for node's own runner: plans and diagnostics have no counterpart here. */
const context = { assert, plan: () => undefined, diagnostic: () => undefined };

describe('MQTT-10 broker persistence passes the abstract conformance suite of aedes-persistence', () => {
  abstractSuite({
    test: (name, run) => it(name, () => run(context)),
    persistence: async () =>
      new BrokerPersistence({
        journal: { record: () => undefined, write: () => Promise.resolve() },
        restored: [],
        clock: { now: () => ({ monotonicMs: 0, wallMs: 0 }) },
        runId: 'run',
        isConflated: () => false,
        onLimit: () => undefined,
      }),
    testAsync: true,
  });
});
