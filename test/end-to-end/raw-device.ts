import { connect, type Socket } from 'node:net';
import { generate, type Packet, parser } from 'mqtt-packet';
import type { Json } from './program.ts';

export interface RawDeviceOptions {
  readonly clientId: string;
  readonly topicRoot: string;
  readonly clean?: boolean;
  /** Filters besides its command. */
  readonly alsoReads?: readonly string[];
}

/** The moment, on the test's own monotonic clock, at which a JSON command came. */
export interface HeardCommand {
  readonly command: Json;
  readonly at: number;
}

/** A light device: one raw socket, QoS 1, its own packet ids, so that thousands fit into one test. */
export class RawDevice {
  readonly options: RawDeviceOptions;
  readonly commands: HeardCommand[] = [];
  readonly acknowledged = new Set<number>();
  closed = false;
  onCommand: (heard: HeardCommand) => void = () => undefined;
  onAcknowledged: (packetId: number) => void = () => undefined;
  onClosed: () => void = () => undefined;
  readonly #socket: Socket;
  readonly #subscribed = Promise.withResolvers<void>();
  #packetId = 100;

  private constructor(options: RawDeviceOptions, port: number) {
    this.options = options;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const reader = parser({ protocolVersion: 4 });
    reader.on('packet', (packet: Packet) => this.#take(packet));
    this.#socket.on('data', (bytes) => reader.parse(bytes));
    this.#socket.on('error', () => this.#socket.destroy());
    this.#socket.on('close', () => this.#close());
    this.#socket.write(this.#greeting());
  }

  /** Resolves when it is connected and subscribed to its JSON command. */
  static async open(port: number, options: RawDeviceOptions): Promise<RawDevice> {
    const device = RawDevice.launch(port, options);
    await device.#subscribed.promise;
    return device;
  }

  /** A device that is connecting: its messages meanwhile stand behind its CONNECT. */
  static launch(port: number, options: RawDeviceOptions): RawDevice {
    const device = new RawDevice(options, port);
    device.#subscribed.promise.catch(() => undefined);
    return device;
  }

  /** Publishes below its topic root; gives the packet id. */
  publish(suffix: string, payload: string, packetId = this.nextPacketId(), duplicate = false): number {
    const topic = `${this.options.topicRoot}/${suffix}`;
    this.#socket.write(
      generate({ cmd: 'publish', topic, payload, qos: 1, messageId: packetId, dup: duplicate, retain: false }),
    );
    return packetId;
  }

  status(status: object): void {
    this.publish('status', JSON.stringify(status));
  }

  nextPacketId(): number {
    this.#packetId = this.#packetId >= 60_000 ? 101 : this.#packetId + 1;
    return this.#packetId;
  }

  /** Drops the connection like a pulled cable. */
  drop(): void {
    this.#socket.destroy();
  }

  #greeting(): Buffer {
    const { clientId, topicRoot, clean = false, alsoReads = [] } = this.options;
    const filters = [`${topicRoot}/command`, ...alsoReads].map((topic) => ({ topic, qos: 1 as const }));
    return Buffer.concat([
      generate({ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean, clientId, keepalive: 60 }),
      generate({ cmd: 'subscribe', messageId: 1, subscriptions: filters }),
    ]);
  }

  #take(packet: Packet): void {
    if (packet.cmd === 'suback') this.#subscribed.resolve();
    if (packet.cmd === 'puback') this.#takeAcknowledgement(packet.messageId ?? 0);
    if (packet.cmd !== 'publish') return;
    if (packet.qos === 1 && packet.messageId !== undefined)
      this.#socket.write(generate({ cmd: 'puback', messageId: packet.messageId }));
    if (packet.topic !== `${this.options.topicRoot}/command`) return;
    const heard = { command: JSON.parse(packet.payload.toString()), at: performance.now() };
    this.commands.push(heard);
    this.onCommand(heard);
  }

  #takeAcknowledgement(packetId: number): void {
    this.acknowledged.add(packetId);
    this.onAcknowledged(packetId);
  }

  #close(): void {
    this.closed = true;
    this.#subscribed.reject(new Error(`${this.options.clientId} was cut off`));
    this.onClosed();
  }
}
