import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/adapters/broker/limits.ts';
import { GatheredCommits } from '../../../src/adapters/broker/persistence/gathered-commits.ts';
import { RetainedMessages } from '../../../src/adapters/broker/persistence/retained-messages.ts';
import { payloadOf } from '../../../src/adapters/broker/readers/payload.ts';

const journal = { record: () => undefined, write: () => Promise.resolve() };

describe('RetainedMessages', () => {
  it('MQTT-12 beyond the bound names the sender, not the topics that the sender invented', () => {
    const named: string[] = [];
    const retained = new RetainedMessages({ journal, commits: new GatheredCommits(journal) }, [], (subject) =>
      named.push(subject),
    );
    const payload = payloadOf('x');
    for (let count = 0; count <= LIMITS.retainedMessages; count++)
      retained.store({ topic: `made/up/${count}`, payload, qos: 0 }, 'flooder');
    expect(named).toEqual(['flooder']);
    expect(retained.size).toBe(LIMITS.retainedMessages);
  });
});
