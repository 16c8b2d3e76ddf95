import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/adapters/broker/limits.ts';
import { MessageQueues } from '../../../src/adapters/broker/persistence/message-queues.ts';

const journal = { record: () => undefined, write: () => Promise.resolve() };

function queues(dropped: string[] = []): MessageQueues {
  return new MessageQueues(
    journal,
    [],
    () => false,
    (clientId) => dropped.push(clientId),
  );
}

describe('MessageQueues', () => {
  it('MQTT-10 counts a message of QoS 2 out again, however many there were', () => {
    const dropped: string[] = [];
    const under = queues(dropped);
    const payload = Buffer.alloc(LIMITS.queuedBytesPerSession / 4);
    for (let count = 1; count <= 10; count++) {
      const packet = { cmd: 'publish', topic: 'a', payload, qos: 2, brokerId: 'b', brokerCounter: count } as const;
      under.enqueue('reader', packet);
      under.update('reader', { ...packet, messageId: count });
      under.update('reader', { cmd: 'pubrel', messageId: count });
      under.clear('reader', count);
    }
    expect(dropped).toEqual([]);
  });
});
