import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
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

const OPENED_AT_ONCE = 200;

export function fleetMachineId(index: number): string {
  return `M-${index}`;
}

export function fleetTopicRoot(index: number): string {
  return `hall/machine-${index}`;
}

/** A plant file with this number of machines. */
export function fleetPlant(machines: number): string {
  const entries = Array.from(
    { length: machines },
    (_, index) =>
      `  - { machineId: ${fleetMachineId(index)}, topicRoot: ${fleetTopicRoot(index)}, variables: [ lineSpeed ] }\n`,
  );
  return `machines:\n${entries.join('')}parts: [ { partId: P-100 } ]\n`;
}

/** One machine of a fleet, which keeps the times of its statuses and the commands. */
class FleetMachine {
  readonly index: number;
  device: RawDevice;
  asked = 0;
  askedAt = 0;

  constructor(index: number, device: RawDevice) {
    this.index = index;
    this.device = device;
  }

  get answered(): number {
    return this.device.commands.length;
  }

  ask(): void {
    this.asked++;
    this.askedAt = performance.now();
    const counters = { cycle: this.asked, goodPart: this.asked, badPart: 0, mSecSinceBoot: 1_000 + this.asked * 500 };
    const switches = { running: true, machinePower: true, override: false };
    this.device.status({ machineId: fleetMachineId(this.index), ...counters, ...switches, partId: 'P-100' });
  }
}

/** The machines of a hall on raw sockets. */
export class Fleet {
  readonly machines: readonly FleetMachine[];
  readonly #timers: NodeJS.Timeout[] = [];

  private constructor(machines: readonly FleetMachine[]) {
    this.machines = machines;
  }

  static async open(port: number, size: number): Promise<Fleet> {
    const machines: FleetMachine[] = [];
    for (let from = 0; from < size; from += OPENED_AT_ONCE) {
      const indexes = Array.from({ length: Math.min(OPENED_AT_ONCE, size - from) }, (_, index) => from + index);
      const devices = await Promise.all(indexes.map((index) => RawDevice.open(port, fleetDevice(index))));
      for (const [place, index] of indexes.entries()) {
        const device = devices[place];
        if (device !== undefined) machines.push(new FleetMachine(index, device));
      }
    }
    return new Fleet(machines);
  }

  get asked(): number {
    return this.machines.reduce((sum, machine) => sum + machine.asked, 0);
  }

  get answered(): number {
    return this.machines.reduce((sum, machine) => sum + machine.answered, 0);
  }

  /** Each machine sends in this interval, all of them spread over it. */
  async run(intervalMs: number): Promise<void> {
    for (const machine of this.machines) {
      machine.ask();
      this.#timers.push(setInterval(() => machine.ask(), intervalMs));
      await pause(intervalMs / this.machines.length);
    }
  }

  rest(): void {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
  }

  /** Drops every connection like a pulled cable. */
  drop(): void {
    this.rest();
    for (const { device } of this.machines) device.drop();
  }

  /** All machines come back at the same moment with a status; earlier commands are forgotten. */
  comeBack(port: number): void {
    for (const machine of this.machines) {
      machine.device = RawDevice.launch(port, fleetDevice(machine.index));
      machine.asked = 0;
      machine.ask();
    }
  }
}

function fleetDevice(index: number) {
  return { clientId: fleetMachineId(index), topicRoot: fleetTopicRoot(index) };
}

const WINDOW = 10;
/** The local API would not give more values in one answer. */
const MAX_VALUES = 90_000;
const FIRST_PACKET_ID = 10;
const LAST_PACKET_ID = 60_000;

/**
 * Publishes one variable over MQTT, values 1, 2, 3, …, QoS 1, and forgets none: unacknowledged values are sent again
 * after a lost connection with DUP, the same packet id and in order (MQTT-4.4.0-1, MQTT-4.6.0-1).
 */
export class VariablePublisher {
  readonly acknowledged: number[] = [];
  readonly #clientId: string;
  readonly #topic: string;
  readonly #unacknowledged = new Map<number, number>();
  #socket: Socket | null = null;
  #value = 0;
  #packetId = FIRST_PACKET_ID;
  #isStopped = false;

  constructor(clientId: string, topic: string) {
    this.#clientId = clientId;
    this.#topic = topic;
  }

  get published(): number {
    return this.#value;
  }

  get waiting(): number {
    return this.#unacknowledged.size;
  }

  connect(port: number): void {
    this.#socket?.destroy();
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket = socket;
    const reader = parser({ protocolVersion: 4 });
    reader.on('packet', (packet: Packet) => this.#take(packet));
    socket.on('data', (bytes) => reader.parse(bytes));
    socket.on('error', () => socket.destroy());
    const clientId = this.#clientId;
    socket.write(
      generate({ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: false, clientId, keepalive: 60 }),
    );
  }

  /** Makes no new values; those under way are still sent. */
  stop(): void {
    this.#isStopped = true;
  }

  disconnect(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }

  #take(packet: Packet): void {
    if (packet.cmd === 'connack') {
      for (const [packetId, value] of this.#unacknowledged) this.#send(packetId, value, true);
      this.#fill();
    }
    if (packet.cmd !== 'puback' || packet.messageId === undefined) return;
    const value = this.#unacknowledged.get(packet.messageId);
    if (value === undefined) return;
    this.#unacknowledged.delete(packet.messageId);
    this.acknowledged.push(value);
    this.#fill();
  }

  #fill(): void {
    while (!this.#isStopped && this.#unacknowledged.size < WINDOW && this.#value < MAX_VALUES) {
      this.#value++;
      this.#packetId = this.#packetId >= LAST_PACKET_ID ? FIRST_PACKET_ID : this.#packetId + 1;
      this.#unacknowledged.set(this.#packetId, this.#value);
      this.#send(this.#packetId, this.#value, false);
    }
  }

  #send(messageId: number, value: number, dup: boolean): void {
    this.#socket?.write(
      generate({ cmd: 'publish', topic: this.#topic, payload: `${value}`, qos: 1, messageId, dup, retain: false }),
    );
  }
}
