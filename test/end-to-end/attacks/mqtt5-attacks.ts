import { setTimeout as pause } from 'node:timers/promises';
import { generate, type IPublishPacket, type Packet } from 'mqtt-packet';
import type { ConnectPacket } from '../../adapters/broker/raw-client.ts';
import { type Attack, connectPacket, opened, openedMany, sent, stayUntilOver, untilOver } from './attack-scene.ts';

const V5 = { protocolVersion: 5 } as const;
/** As many as a client may set. */
const ALIASES = 32;
const LONG_TOPIC = `${'long/'.repeat(8)}${'x'.repeat(900)}`;

function bytesOf(packet: Packet): Buffer {
  return generate(packet, V5);
}

function connect5(clientId: string, more: Partial<ConnectPacket> = {}): Buffer {
  return connectPacket(clientId, { ...V5, ...more });
}

function publish5(topic: string, more: Partial<IPublishPacket> = {}): Buffer {
  return bytesOf({ cmd: 'publish', topic, payload: 'x', qos: 0, retain: false, dup: false, ...more });
}

/** The plant of the attacks has this account. */
export const ATTACKED_ACCOUNT = { name: 'historian', password: 'a-long-password-1' };

function login(clientId: string, password: string): Buffer {
  return connect5(clientId, { username: ATTACKED_ACCOUNT.name, password: Buffer.from(password) });
}

/** The things of MQTT 5 that a client can make many or large. */
export const MQTT5_ATTACKS: Readonly<Record<string, Attack>> = {
  'clients of MQTT 5 set long topic aliases': async (scene) => {
    const aliases = Array.from({ length: ALIASES }, (_, index) =>
      publish5(`${LONG_TOPIC}/${index}`, { properties: { topicAlias: index + 1 } }),
    );
    await openedMany(scene.mqttPort, 300 * scene.scale, (index) =>
      Buffer.concat([connect5(`alias-${index}`), ...aliases]),
    );
    await stayUntilOver(scene);
  },

  'messages of MQTT 5 with large properties wait for sessions that went away': async (scene) => {
    const session = { clean: false, properties: { sessionExpiryInterval: 600 } };
    const readers = await openedMany(scene.mqttPort, 20, (index) =>
      Buffer.concat([
        connect5(`props-${index}`, session),
        bytesOf({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'props/#', qos: 1 }] }),
      ]),
    );
    await pause(300);
    for (const reader of readers) reader.destroy();
    const writer = await opened(scene.mqttPort, connect5('props-writer'));
    const userProperties = Object.fromEntries(Array.from({ length: 100 }, (_, name) => [`n${name}`, 'x'.repeat(100)]));
    let count = 0;
    await untilOver(scene, async () => {
      const messageId = 1 + (count++ % 60_000);
      await sent(writer, publish5(`props/${count}`, { qos: 1, messageId, properties: { userProperties } }));
      await pause(2);
    });
  },

  'clients of MQTT 5 leave large wills with a long delay': async (scene) => {
    const will = {
      topic: 'will/late',
      payload: Buffer.alloc(50_000, 'x'),
      qos: 1,
      retain: false,
      properties: { willDelayInterval: 600_000 },
    } as const;
    const session = { clean: false, properties: { sessionExpiryInterval: 600_000 } };
    const clients = await openedMany(scene.mqttPort, 200 * scene.scale, (index) =>
      connect5(`late-${index}`, { ...session, will }),
    );
    await pause(500);
    for (const client of clients) client.destroy();
    await stayUntilOver(scene);
  },

  'clients of MQTT 5 share many subscriptions': async (scene) => {
    await openedMany(scene.mqttPort, 20 * scene.scale, (client) =>
      Buffer.concat([
        connect5(`share-${client}`),
        ...Array.from({ length: 2 }, (_, batch) =>
          bytesOf({
            cmd: 'subscribe',
            messageId: 1 + batch,
            subscriptions: Array.from({ length: 100 }, (_, index) => ({
              topic: `$share/group-${client}-${batch}-${index}/#`,
              qos: 1 as const,
            })),
          }),
        ),
      ]),
    );
    await stayUntilOver(scene);
  },

  'a client of MQTT 5 takes one message and acknowledges nothing': async (scene) => {
    await openedMany(scene.mqttPort, 100 * scene.scale, (index) =>
      Buffer.concat([
        connect5(`slow-${index}`, { properties: { receiveMaximum: 1, maximumPacketSize: 200 } }),
        bytesOf({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: '#', qos: 1 }] }),
      ]),
    );
    await stayUntilOver(scene);
  },

  'the password of an MQTT account is guessed': async (scene) => {
    let count = 0;
    await untilOver(scene, async () => {
      const guesses = await openedMany(scene.mqttPort, 50, () => login(`guess-${count}`, `guess ${count++}`));
      for (const guess of guesses) guess.destroy();
    });
  },

  'clients of an MQTT account do what it may not': async (scene) => {
    const clients = await openedMany(scene.mqttPort, 20, (index) =>
      login(`historian-${index}`, ATTACKED_ACCOUNT.password),
    );
    const forbidden = Buffer.concat([
      bytesOf({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: '#', qos: 1 }] }),
      ...Array.from({ length: 20 }, (_, index) => publish5(`nowhere/${index}`, { qos: 1, messageId: 2 + index })),
    ]);
    await untilOver(scene, async () => {
      await Promise.all(clients.map((client) => sent(client, forbidden)));
      await pause(2);
    });
  },
};
