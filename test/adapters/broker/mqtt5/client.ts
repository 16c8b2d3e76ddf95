import type { RawClient } from '../raw-client.ts';

export const V5 = { protocolVersion: 5 } as const;
export const LASTING = { ...V5, clean: false, properties: { sessionExpiryInterval: 600 } } as const;

/** A clock that tests can set forward; `jumpMs` moves the wall clock alone. */
export class MovingClock {
  aheadMs = 0;
  jumpMs = 0;
  readonly now = () => ({
    monotonicMs: performance.now() + this.aheadMs,
    wallMs: Date.now() + this.aheadMs + this.jumpMs,
  });
}

export function publishOf(topic: string, payload: string, more: object = {}) {
  return { cmd: 'publish', topic, payload, qos: 1, retain: false, dup: false, messageId: 21, ...more } as const;
}

export async function messages(client: RawClient, forMs = 200) {
  return (await client.quiet(forMs)).flatMap((packet) => (packet.cmd === 'publish' ? [packet] : []));
}

export async function subscribe5(client: RawClient, topic: string, more: object = {}, properties: object = {}) {
  client.send({ cmd: 'subscribe', messageId: 3, subscriptions: [{ topic, qos: 1, ...more }], properties });
  return client.next('suback');
}
