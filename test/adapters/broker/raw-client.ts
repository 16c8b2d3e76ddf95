import { connect, type Socket } from 'node:net';
import { generate, type Packet, parser } from 'mqtt-packet';

const PATIENCE_MS = 3_000;

/** An MQTT client that sends exactly the bytes a test wants and shows exactly the packets that came. */
export class RawClient {
  readonly socket: Socket;
  readonly received: Packet[] = [];
  closed = false;
  #acknowledges = false;
  readonly #version: 4 | 5;
  readonly #waiting = new Set<() => void>();

  private constructor(socket: Socket, version: 4 | 5) {
    this.socket = socket;
    this.#version = version;
    const reader = parser({ protocolVersion: version });
    reader.on('packet', (packet: Packet) => {
      this.received.push(packet);
      if (this.#acknowledges) this.#acknowledge(packet);
      this.#wake();
    });
    socket.on('data', (bytes) => reader.parse(bytes));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.closed = true;
      this.#wake();
    });
  }

  /** Answers messages of QoS 1, also those that came before. */
  set acknowledges(isWanted: boolean) {
    this.#acknowledges = isWanted;
    if (isWanted) for (const packet of this.received) this.#acknowledge(packet);
  }

  static open(port: number, version: 4 | 5 = 4): Promise<RawClient> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(new RawClient(socket, version)));
      socket.once('error', reject);
    });
  }

  /** Opens a connection and gets its CONNACK. */
  static async connected(port: number, clientId: string, more: Partial<ConnectPacket> = {}): Promise<RawClient> {
    const client = await RawClient.open(port, more.protocolVersion === 5 ? 5 : 4);
    client.send(connectOf(clientId, more));
    await client.next('connack');
    return client;
  }

  send(packet: Packet): void {
    this.socket.write(generate(packet, { protocolVersion: this.#version }));
  }

  sendBytes(...bytes: readonly number[]): void {
    this.socket.write(Buffer.from(bytes));
  }

  /** Takes the first packet of that kind out of what came, waiting for it if need be. */
  async next<Command extends Packet['cmd']>(command: Command): Promise<Extract<Packet, { cmd: Command }>> {
    await this.#until(() => this.received.some(({ cmd }) => cmd === command), `a ${command}`);
    const index = this.received.findIndex(({ cmd }) => cmd === command);
    const [packet] = this.received.splice(index, 1);
    return packet as Extract<Packet, { cmd: Command }>;
  }

  async untilClosed(): Promise<void> {
    await this.#until(() => this.closed, 'the end of the connection');
  }

  /** The packets that came while nothing more was expected. */
  async quiet(forMs = 150): Promise<readonly Packet[]> {
    await new Promise((resolve) => setTimeout(resolve, forMs));
    return this.received;
  }

  async subscribe(...filters: readonly (readonly [string, 0 | 1 | 2])[]): Promise<readonly number[]> {
    const subscriptions = filters.map(([topic, qos]) => ({ topic, qos }));
    this.send({ cmd: 'subscribe', messageId: 11, subscriptions });
    return (await this.next('suback')).granted as readonly number[];
  }

  publish(topic: string, payload: string, qos: 0 | 1 | 2 = 0, retain = false, messageId = 21, dup = false): void {
    this.send({ cmd: 'publish', topic, payload, qos, retain, dup, ...(qos > 0 && { messageId }) });
  }

  end(): void {
    this.send({ cmd: 'disconnect' });
    this.socket.end();
  }

  /** Drops the connection like a pulled cable: without DISCONNECT. */
  drop(): void {
    this.socket.destroy();
  }

  #acknowledge(packet: Packet): void {
    if (packet.cmd === 'publish' && packet.qos === 1) this.send({ cmd: 'puback', messageId: packet.messageId ?? 0 });
  }

  async #until(holds: () => boolean, what: string): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    while (!holds()) {
      const waitMs = deadline - Date.now();
      if (waitMs <= 0)
        throw new Error(`${what} did not come; came: ${this.received.map(({ cmd }) => cmd).join(' ') || 'nothing'}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs);
        this.#waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

export type ConnectPacket = Extract<Packet, { cmd: 'connect' }>;

/** A CONNECT of MQTT 3.1.1 with a clean session and a keepalive of 60 s, unless `more` has others. */
export function connectOf(clientId: string, more: Partial<ConnectPacket> = {}): ConnectPacket {
  return { cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, clientId, keepalive: 60, ...more };
}
