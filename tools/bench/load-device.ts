import { connect, type Socket } from 'node:net';
import { generate } from 'mqtt-packet';
import { FrameReader, PACKET } from '../../src/adapters/broker/mqtt/frame.ts';
import { machineName, topicRoot } from './load-plan.ts';

const MAX_PACKET_BYTES = 65_536;
/** `npm run bench -- --mqtt 5` sets it. */
const protocolVersion = process.env.BENCH_MQTT_VERSION === '5' ? 5 : 4;

export interface DeviceListener {
  /** The JSON command came. */
  command(): void;
  puback(): void;
}

/** A device on a raw socket: persistent session, three command topics, QoS 1. */
export class LoadDevice {
  readonly #socket: Socket;
  readonly #index: number;
  readonly #reader = new FrameReader(MAX_PACKET_BYTES);
  readonly #commandTopic: Buffer;
  readonly #ready: Promise<void>;
  readonly #listener: DeviceListener;
  #setUp: () => void = () => undefined;
  #pubacksUntilReady = 1;
  #packetId = 10;

  constructor(index: number, port: number, listener: DeviceListener) {
    this.#index = index;
    this.#listener = listener;
    this.#commandTopic = Buffer.from(`${topicRoot(index)}/command`);
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#ready = new Promise((resolve, reject) => {
      this.#setUp = resolve;
      this.#socket.on('error', reject);
    });
    this.#socket.on('connect', () => this.#socket.write(this.#greeting()));
    this.#socket.on('data', (bytes) => this.#received(bytes));
  }

  /** Resolves when it is connected, subscribed and has said that it is online. */
  ready(): Promise<void> {
    return this.#ready;
  }

  publish(suffix: string, payload: string): void {
    this.#packetId = this.#packetId >= 65_000 ? 10 : this.#packetId + 1;
    const topic = `${topicRoot(this.#index)}/${suffix}`;
    this.#socket.write(
      generate(
        { cmd: 'publish', topic, payload, qos: 1, messageId: this.#packetId, dup: false, retain: false },
        { protocolVersion },
      ),
    );
  }

  close(): void {
    this.#socket.destroy();
  }

  #greeting(): Buffer {
    const root = topicRoot(this.#index);
    const will = { topic: `${root}/lwt`, payload: Buffer.from('false'), qos: 1, retain: true } as const;
    const subscriptions = ['command', 'command/run-enabled', 'command/attention-needed'].map((suffix) => ({
      topic: `${root}/${suffix}`,
      qos: 1 as const,
    }));
    return Buffer.concat([
      generate({
        cmd: 'connect',
        protocolId: 'MQTT',
        protocolVersion,
        ...(protocolVersion === 5 && { properties: { sessionExpiryInterval: 3_600 } }),
        clean: false,
        clientId: machineName(this.#index),
        keepalive: 60,
        will,
      }),
      generate({ cmd: 'subscribe', messageId: 1, subscriptions }, { protocolVersion }),
      generate(
        { cmd: 'publish', topic: `${root}/online`, payload: 'true', qos: 1, retain: true, dup: false, messageId: 2 },
        { protocolVersion },
      ),
    ]);
  }

  #received(bytes: Buffer): void {
    this.#reader.push(bytes);
    const pubacks: Buffer[] = [];
    for (let frame = this.#reader.next(); frame !== null; frame = this.#reader.next()) {
      if (typeof frame === 'string') throw new Error(`the server sent a ${frame} packet`);
      this.#take(frame, pubacks);
    }
    if (pubacks.length > 0) this.#socket.write(Buffer.concat(pubacks));
  }

  #take(frame: Buffer, pubacks: Buffer[]): void {
    const type = (frame[0] ?? 0) >> 4;
    if (type === PACKET.puback) this.#acknowledged();
    if (type !== PACKET.publish) return;
    const topicAt = this.#reader.bodyAt + 2;
    const topicEnd = topicAt + frame.readUInt16BE(this.#reader.bodyAt);
    if (((frame[0] ?? 0) & 6) !== 0)
      pubacks.push(Buffer.from([PACKET.puback << 4, 2, frame[topicEnd] ?? 0, frame[topicEnd + 1] ?? 0]));
    if (this.#commandTopic.equals(frame.subarray(topicAt, topicEnd))) this.#listener.command();
  }

  #acknowledged(): void {
    if (this.#pubacksUntilReady === 0) {
      this.#listener.puback();
      return;
    }
    this.#pubacksUntilReady--;
    this.#setUp();
  }
}
