import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { generate } from 'mqtt-packet';
import { type Attack, stayUntilOver, untilOver } from './attack.ts';
import {
  connectPacket,
  opened,
  openedMany,
  publishPacket,
  type Subscriptions,
  sent,
  subscribePackets,
} from './attacker.ts';

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
export const MQTT_ATTACKS: Readonly<Record<string, Attack>> = {
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
