import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { generate } from 'mqtt-packet';
import {
  type Attack,
  type AttackScene,
  connectPacket,
  OPENED_AT_ONCE,
  opened,
  openedMany,
  publishPacket,
  type Subscriptions,
  sent,
  stayUntilOver,
  subscribePackets,
  untilOver,
} from './attack-scene.ts';
import { MQTT5_ATTACKS } from './mqtt5-attacks.ts';

const EVERYTHING: Subscriptions = [{ topic: '#', qos: 1 }];

function persistent(clientId: string, subscriptions: Subscriptions): Buffer {
  return Buffer.concat([connectPacket(clientId, { clean: false }), subscribePackets(subscriptions)]);
}

function numbered(count: number, topic: (index: number) => string, qos: 0 | 1 = 1): Subscriptions {
  return Array.from({ length: count }, (_, index) => ({ topic: topic(index), qos }));
}

async function goAway(sockets: readonly Socket[]): Promise<void> {
  await pause(500);
  for (const socket of sockets) socket.destroy();
}

/** Attacks over MQTT that try to make the broker multiply work or memory. */
const MQTT_ATTACKS: Readonly<Record<string, Attack>> = {
  'readers of everything went away': async (scene) => {
    const count = 100 * scene.scale;
    await goAway(await openedMany(scene.mqttPort, count, (index) => persistent(`absent-${index}`, EVERYTHING)));
    await stayUntilOver(scene);
  },

  'readers of everything read nothing': async (scene) => {
    const readers = await openedMany(scene.mqttPort, 30 * scene.scale, (index) =>
      persistent(`stalled-${index}`, EVERYTHING),
    );
    for (const reader of readers) reader.pause();
    const filler = Buffer.alloc(60_000, 'x');
    const writer = await opened(scene.mqttPort, connectPacket('filler'));
    await untilOver(scene, () => sent(writer, publishPacket('fill/er', filler, 0)).then(() => pause(1)));
  },

  'readers have many filters that overlap': async (scene) => {
    const wide: Subscriptions = ['#', '+/#', '+/+/#', 'hall/#'].map((topic) => ({ topic, qos: 0 }));
    const filters = [...wide, ...numbered(196, (index) => `+/+/x${index}`, 0)];
    await openedMany(scene.mqttPort, 10 * scene.scale, (index) =>
      Buffer.concat([connectPacket(`overlap-${index}`), subscribePackets(filters)]),
    );
    await stayUntilOver(scene);
  },

  'sessions have long filters and went away': async (scene) => {
    const long = (index: number) => `${'long/'.repeat(8)}${'x'.repeat(900)}/${index}`;
    await goAway(
      await openedMany(scene.mqttPort, 100 * scene.scale, (client) =>
        persistent(
          `long-${client}`,
          numbered(200, (index) => `${client}/${long(index)}`),
        ),
      ),
    );
    await stayUntilOver(scene);
  },

  'empty messages wait for sessions that went away': async (scene) => {
    const count = 200 * scene.scale;
    await goAway(
      await openedMany(scene.mqttPort, count, (client) =>
        persistent(`mailbox-${client}`, [{ topic: `channel/${client}`, qos: 1 }]),
      ),
    );
    const writer = await opened(scene.mqttPort, connectPacket('spammer'));
    let sequence = 0;
    await untilOver(scene, async () => {
      const batch = Array.from({ length: 50 }, () => {
        sequence++;
        return publishPacket(`channel/${sequence % count}`, '', 1, 1 + (sequence % 65_000));
      });
      await sent(writer, Buffer.concat(batch));
      await pause(5);
    });
  },

  'retained messages are asked for with wildcards, again and again': async (scene) => {
    const writer = await opened(scene.mqttPort, connectPacket('retainer'));
    for (let index = 0; index < 5_000 * scene.scale && !scene.isOver(); index += 100) {
      const batch = Array.from({ length: 100 }, (_, place) =>
        publishPacket(`kept/${index + place}/a`, 'x'.repeat(100), 0, 1, true),
      );
      await sent(writer, Buffer.concat(batch));
    }
    const readers = await openedMany(scene.mqttPort, 10, (index) => connectPacket(`asker-${index}`));
    await untilOver(scene, async () => {
      await Promise.all(readers.map((reader) => sent(reader, subscribePackets(numbered(20, (n) => `+/+/b${n}`)))));
      await pause(10);
    });
  },

  'topics and filters are deep': async (scene) => {
    const filters = Array.from({ length: 200 }, (_, bits) => ({
      topic: Array.from({ length: 30 }, (_, level) => ((bits >> (level % 8)) & 1 ? '+' : 'a')).join('/'),
      qos: 1 as const,
    }));
    await openedMany(scene.mqttPort, 20 * scene.scale, (client) =>
      Buffer.concat([connectPacket(`deep-${client}`), subscribePackets(filters)]),
    );
    const writer = await opened(scene.mqttPort, connectPacket('diver'));
    const batch = Buffer.concat(
      Array.from({ length: 100 }, () => publishPacket(Array.from({ length: 31 }, () => 'a').join('/'), 'x', 0)),
    );
    await untilOver(scene, () => sent(writer, batch).then(() => pause(2)));
  },

  'subscriptions come and go': async (scene) => {
    const clients = await openedMany(scene.mqttPort, 5, (index) => connectPacket(`churn-${index}`));
    let round = 0;
    await untilOver(scene, async () => {
      round++;
      const bytes = Buffer.concat([
        subscribePackets([{ topic: `hall/+/churn${round}`, qos: 1 }]),
        generate({ cmd: 'unsubscribe', messageId: 2, unsubscriptions: [`hall/+/churn${round - 1}`] }),
      ]);
      await Promise.all(clients.map((client) => sent(client, bytes)));
    });
  },

  'clients take each other’s place in a loop': async (scene) => {
    await untilOver(scene, async () => {
      const rivals = await openedMany(scene.mqttPort, 20, () => persistent('one-name', EVERYTHING));
      await pause(20);
      for (const rival of rivals) rival.destroy();
    });
  },

  'clients leave large wills': async (scene) => {
    const payload = Buffer.alloc(60_000, 'w');
    const will = { topic: 'last/will', payload, qos: 1, retain: true } as const;
    await openedMany(scene.mqttPort, 200 * scene.scale, (index) => connectPacket(`mortal-${index}`, { will }));
    await stayUntilOver(scene);
  },

  'packets are begun and never finished': async (scene) => {
    const begun = publishPacket('half/done', Buffer.alloc(250_000, 'h'), 0).subarray(0, 240_000);
    const clients = await openedMany(scene.mqttPort, 300 * scene.scale, (index) => connectPacket(`half-${index}`));
    await Promise.race([Promise.all(clients.map((client) => sent(client, begun))), stayUntilOver(scene)]);
    await stayUntilOver(scene);
  },

  'messages of QoS 2 are begun and never finished': async (scene) => {
    const payload = 'x'.repeat(2_000);
    const clients = await openedMany(scene.mqttPort, 20 * scene.scale, (index) =>
      connectPacket(`two-${index}`, { clean: false }),
    );
    let messageId = 0;
    await untilOver(scene, async () => {
      messageId = 1 + (messageId % 60_000);
      await Promise.all(clients.map((client) => sent(client, publishPacket('q/2', payload, 2, messageId))));
    });
  },

  'clients publish as fast as they can': async (scene) => {
    const batch = Buffer.concat(Array.from({ length: 500 }, (_, index) => publishPacket(`flood/${index}`, 'x', 0)));
    const clients = await openedMany(scene.mqttPort, 5 * scene.scale, (index) => connectPacket(`flood-${index}`));
    await untilOver(scene, () => Promise.all(clients.map((client) => sent(client, batch))));
  },

  'clients publish with QoS 1 and read no answer': async (scene) => {
    const batch = Buffer.concat(
      Array.from({ length: 500 }, (_, index) => publishPacket('deaf/to', 'x', 1, 1 + index, index % 2 === 0)),
    );
    const clients = await openedMany(scene.mqttPort, 20 * scene.scale, (index) => connectPacket(`deaf-${index}`));
    for (const client of clients) client.pause();
    await untilOver(scene, () => Promise.race([Promise.all(clients.map((client) => sent(client, batch))), pause(200)]));
  },

  'large messages have no receiver': async (scene) => {
    const message = publishPacket('no/such/machine/status', Buffer.alloc(250_000, 'x'), 0);
    let strangers = 0;
    await untilOver(scene, async () => {
      const clients = await openedMany(scene.mqttPort, 10 * scene.scale, () =>
        connectPacket(`stranger-${strangers++ % 500}`),
      );
      await Promise.all(clients.map((client) => sent(client, message)));
      await pause(50);
      for (const client of clients) client.destroy();
    });
  },

  'connections come and go': async (scene) => {
    await untilOver(scene, async () => {
      const clients = await openedMany(scene.mqttPort, 100, (index) => connectPacket(`fleeting-${index}`));
      for (const client of clients) client.destroy();
    });
  },
};

const HEADER_BYTES = 15_000;

const head = (line: string, more = '') => `${line} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;

/** Opens connections that send `text` and read nothing. */
async function deaf({ httpPort }: AttackScene, count: number, text: string): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  for (let from = 0; from < count; from += OPENED_AT_ONCE) {
    const opening = Array.from({ length: Math.min(OPENED_AT_ONCE, count - from) }, () => {
      return new Promise<Socket>((resolve) => {
        const socket = connect({ port: httpPort, host: '127.0.0.1' }, () => {
          socket.write(text);
          resolve(socket);
        });
        socket.on('error', () => resolve(socket));
      });
    });
    sockets.push(...(await Promise.all(opening)));
  }
  return sockets;
}

/** Ways in which HTTP clients without a key can make the gateway hold memory. */
const HTTP_ATTACKS: Readonly<Record<string, Attack>> = {
  'HTTP clients ask for documents and read no answer': async (scene) => {
    const requests = ['/openapi.json', '/docs', '/metrics'].map((path) => head(`GET ${path}`)).join('');
    await deaf(scene, 300 * scene.scale, requests.repeat(2));
    await stayUntilOver(scene);
  },

  'HTTP requests with long headers wait for unread answers': async (scene) => {
    const padded = head('GET /openapi.json', `X-Pad: ${'x'.repeat(HEADER_BYTES)}\r\n`);
    await deaf(scene, 300 * scene.scale, padded.repeat(8));
    await stayUntilOver(scene);
  },

  'HTTP bodies are begun and never finished': async (scene) => {
    const begun = head('POST /api/device/status', 'Content-Length: 60000\r\n') + ' '.repeat(59_000);
    await deaf(scene, 500 * scene.scale, begun);
    await stayUntilOver(scene);
  },
};

/** Attacks that fill memory and keep it filled. The others mostly take time. */
const FILLING = [
  ...Object.keys(HTTP_ATTACKS),
  'readers of everything went away',
  'readers of everything read nothing',
  'sessions have long filters and went away',
  'empty messages wait for sessions that went away',
  'retained messages are asked for with wildcards, again and again',
  'topics and filters are deep',
  'clients leave large wills',
  'packets are begun and never finished',
  'messages of QoS 2 are begun and never finished',
  'clients publish with QoS 1 and read no answer',
  'large messages have no receiver',
  ...Object.keys(MQTT5_ATTACKS),
] as const;

const EACH: Readonly<Record<string, Attack>> = { ...MQTT_ATTACKS, ...MQTT5_ATTACKS, ...HTTP_ATTACKS };

export const EVERYTHING_AT_ONCE = 'clients fill everything at once';

/** Every attack of the table. The last one fills all the memory that clients can fill at the same time. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  ...EACH,
  [EVERYTHING_AT_ONCE]: async (scene) => {
    await Promise.all(FILLING.map((name) => EACH[name]?.(scene)));
  },
};

/** Linux applies it to the calling thread alone. */
const ATTACKER_NICENESS = 10;

interface AttackPlan {
  readonly name: string;
  readonly mqttPort: number;
  readonly httpPort: number;
  readonly scale: number;
  readonly forMs: number;
}

/**
 * Attacks from a thread of its own, which tells when it is over. Attackers are other computers: they must not take the
 * processor away from the gateway or from the machines' clocks.
 */
export async function attackFor(plan: AttackPlan): Promise<Worker> {
  const attacker = new Worker(new URL(import.meta.url), { workerData: { attack: plan } });
  await once(attacker, 'message');
  return attacker;
}

async function attackAsThread({ name, forMs, ...scene }: AttackPlan): Promise<void> {
  setPriority(ATTACKER_NICENESS);
  const endsAt = performance.now() + forMs;
  await ATTACKS[name]?.({ ...scene, isOver: () => performance.now() >= endsAt });
  parentPort?.postMessage('over');
}

if (!isMainThread && workerData?.attack !== undefined) void attackAsThread(workerData.attack);
