import { connect, type Socket } from 'node:net';
import { generate, type Packet, parser } from 'mqtt-packet';

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
