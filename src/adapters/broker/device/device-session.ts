import { LIMITS } from '../limits.ts';
import type { Will } from '../mqtt/connect-packet.ts';
import { LAST_READER_PACKET_ID } from '../readers/in-flight.ts';
import { COMMAND_SUFFIXES } from '../topics.ts';

const NOT_SUBSCRIBED = -1;
/** Smaller packet ids on the same connection belong to the device's other subscriptions (InFlight). */
const FIRST_COMMAND_PACKET_ID = LAST_READER_PACKET_ID + 1;
const LAST_PACKET_ID = 65_535;

/** One command topic's place in a session. */
interface Slot {
  grantedQos: number;
  /** The packet id of the newest command that waits for its PUBACK; null without one. */
  packetId: number | null;
  /** A decision was made for it that could not be sent yet: the device gets the present one when it can. */
  isDue: boolean;
}

/**
 * The part of a machine's MQTT session that is about commands. It holds no commands, only which topics wait for one: a
 * device that returns, or that acknowledges slowly, gets the present decision and never an old one (D-06).
 */
export class DeviceSession {
  /** The session outlives its connection by this time; 0: it ends with it. */
  expiryMs: number;
  will: Will | null = null;
  /** On the monotonic clock; null while the device is connected. */
  awaySinceMs: number | null = null;
  readonly #slots: Slot[] = COMMAND_SUFFIXES.map(() => ({ grantedQos: NOT_SUBSCRIBED, packetId: null, isDue: false }));
  readonly #filters = new Map<string, { readonly topics: readonly number[]; readonly qos: number }>();
  /** Packet ids of commands that wait for their PUBACK. In MQTT 3 only the newest of each topic. */
  readonly #unacknowledged = new Set<number>();
  #nextPacketId = FIRST_COMMAND_PACKET_ID;

  constructor(expiryMs: number) {
    this.expiryMs = expiryMs;
  }

  /** The filters the device subscribed with, and the QoS granted for each. */
  get filters(): readonly (readonly [string, number])[] {
    return [...this.#filters].map(([filter, { qos }]) => [filter, qos]);
  }

  /** Commands that wait for their PUBACK. */
  get unacknowledged(): number {
    return this.#unacknowledged.size;
  }

  /** A filter that was there already gets the new QoS (MQTT-3.8.4-3). */
  subscribe(filter: string, topics: readonly number[], qos: number): void {
    this.#filters.set(filter, { topics, qos });
    this.#grant();
  }

  /** Gives whether there was such a filter. */
  unsubscribe(filter: string): boolean {
    const wasThere = this.#filters.delete(filter);
    this.#grant();
    return wasThere;
  }

  /** The QoS with which a command topic is sent, or -1 if the device did not subscribe to it. */
  grantedQos(topic: number): number {
    return this.#slots[topic]?.grantedQos ?? NOT_SUBSCRIBED;
  }

  /**
   * The packet id for a command that is sent now. `window` is the number of unacknowledged commands that the client
   * takes, infinite in MQTT 3; null if they are that many already: then the topic is due.
   */
  sent(topic: number, window: number): number | null {
    const slot = this.#slots[topic];
    if (slot === undefined) return null;
    if (window === Number.POSITIVE_INFINITY) this.#forget(slot);
    slot.isDue = this.#unacknowledged.size >= Math.min(window, LIMITS.inFlightCommands);
    if (slot.isDue) return null;
    slot.packetId = this.#takePacketId();
    this.#unacknowledged.add(slot.packetId);
    return slot.packetId;
  }

  /** Notes that a decision cannot be sent now. QoS 0 is not kept for an absent device. */
  missed(topic: number): void {
    const slot = this.#slots[topic];
    if (slot !== undefined) slot.isDue = slot.grantedQos > 0;
  }

  /** The topics whose command waits to be sent. */
  due(): readonly number[] {
    return [...this.#slots.keys()].filter((topic) => this.#slots[topic]?.isDue);
  }

  acknowledged(packetId: number): void {
    this.#unacknowledged.delete(packetId);
    for (const slot of this.#slots) if (slot.packetId === packetId) slot.packetId = null;
  }

  /** The device has a new connection: what it did not acknowledge on the former one is due again. */
  resumed(): void {
    this.#unacknowledged.clear();
    for (const slot of this.#slots) {
      slot.isDue ||= slot.packetId !== null;
      slot.packetId = null;
    }
  }

  /** After a restart of the gateway the missed commands are not known, so all are due. */
  missedAll(): void {
    for (const slot of this.#slots) slot.isDue = slot.grantedQos > NOT_SUBSCRIBED;
  }

  /** Forgets commands on topics without a QoS 1 subscription: newer commands are not tracked from now on. */
  #grant(): void {
    for (const [topic, slot] of this.#slots.entries()) {
      const filters = [...this.#filters.values()].filter(({ topics }) => topics.includes(topic));
      slot.grantedQos = Math.max(NOT_SUBSCRIBED, ...filters.map(({ qos }) => qos));
      if (slot.grantedQos > 0) continue;
      this.#forget(slot);
      slot.isDue = false;
    }
  }

  #forget(slot: Slot): void {
    if (slot.packetId !== null) this.#unacknowledged.delete(slot.packetId);
    slot.packetId = null;
  }

  /** Ids of which a command still waits for its PUBACK are left out (MQTT-2.2.1-3). */
  #takePacketId(): number {
    let packetId: number;
    do {
      packetId = this.#nextPacketId;
      this.#nextPacketId = packetId === LAST_PACKET_ID ? FIRST_COMMAND_PACKET_ID : packetId + 1;
    } while (this.#unacknowledged.has(packetId));
    return packetId;
  }
}
