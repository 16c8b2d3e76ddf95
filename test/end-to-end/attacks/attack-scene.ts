import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { generate } from 'mqtt-packet';
import { type ConnectPacket, connectOf } from '../../adapters/broker/raw-client.ts';

export const OPENED_AT_ONCE = 100;

/** `scale` is 1 in CI and more in the long run. `isOver` becomes true when the time is up. */
export interface AttackScene {
  readonly mqttPort: number;
  readonly httpPort: number;
  readonly scale: number;
  readonly isOver: () => boolean;
}

/** Attacks until the scene is over. Sockets that are left open are closed by the thread's end. */
export type Attack = (scene: AttackScene) => Promise<void>;

/** Repeats it until the scene is over, also if the gateway takes nothing more for a long time. */
export async function untilOver(scene: AttackScene, act: () => Promise<unknown>): Promise<void> {
  const over = stayUntilOver(scene);
  while (!scene.isOver()) await Promise.race([act(), over]);
}

export async function stayUntilOver({ isOver }: AttackScene): Promise<void> {
  while (!isOver()) await pause(50);
}

export type Subscriptions = readonly { readonly topic: string; readonly qos: 0 | 1 | 2 }[];

export function connectPacket(clientId: string, more: Partial<ConnectPacket> = {}): Buffer {
  return generate(connectOf(clientId, { keepalive: 0, ...more }));
}

export function subscribePackets(subscriptions: Subscriptions): Buffer {
  const packets: Buffer[] = [];
  for (let from = 0; from < subscriptions.length; from += 100) {
    const part = subscriptions.slice(from, from + 100);
    packets.push(generate({ cmd: 'subscribe', messageId: 1 + from, subscriptions: [...part] }));
  }
  return Buffer.concat(packets);
}

export function publishPacket(topic: string, payload: Buffer | string, qos: 0 | 1 | 2, messageId = 1, retain = false) {
  return generate({ cmd: 'publish', topic, payload, qos, retain, dup: false, ...(qos > 0 && { messageId }) });
}

/** Opens a connection that sends `bytes` first; it reads and forgets all answers, unless it is paused. */
export function opened(port: number, bytes: Buffer): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => {
      socket.write(bytes);
      resolve(socket);
    });
    socket.on('error', () => resolve(socket));
    socket.on('data', () => undefined);
    // Attacks write to the socket many times side by side.
    socket.setMaxListeners(0);
  });
}

/** Opens many connections, a hundred at a time. */
export async function openedMany(port: number, count: number, bytes: (index: number) => Buffer): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let from = 0; from < count; from += OPENED_AT_ONCE) {
    const indexes = Array.from({ length: Math.min(OPENED_AT_ONCE, count - from) }, (_, place) => from + place);
    sockets.push(...(await Promise.all(indexes.map((index) => opened(port, bytes(index))))));
  }
  return sockets;
}

/** Resolves when the socket has taken the bytes, or is gone. */
export function sent(socket: Socket, bytes: Buffer): Promise<void> {
  if (socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    socket.once('close', resolve);
    socket.write(bytes, () => {
      socket.removeListener('close', resolve);
      resolve();
    });
  });
}
