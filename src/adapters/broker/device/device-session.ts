import type { Command } from '../mqtt/command-encoder.ts';
import { FIRST_READER_PACKET_ID } from '../readers/in-flight.ts';
import { COMMAND_SUFFIXES } from '../topics.ts';

/** The message to publish if a client vanishes (MQTT 3.1.1, 3.1.2.5). */
export interface Will {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: 0 | 1 | 2;
  readonly retain: boolean;
}

const NOT_SUBSCRIBED = -1;
const DELIVERED = 0;
/** Greater packet ids on the same connection belong to the device's other subscriptions (InFlight). */
const LAST_COMMAND_PACKET_ID = FIRST_READER_PACKET_ID - 1;
/** A command that was decided while the device was away and has no packet id yet. */
const NEVER_SENT = -1;

/** One command topic's place in a session: the last decision for it and whether the device has it. */
interface Slot {
  grantedQos: number;
  command: Command | null;
  /** DELIVERED, NEVER_SENT, or the packet id that waits for its PUBACK. */
  packetId: number;
}

export interface Resend {
  readonly topic: number;
  readonly command: Command;
  readonly qos: 1;
  readonly packetId: number;
  readonly duplicate: boolean;
}

/**
 * The part of a machine's MQTT session that is about commands. Per command topic it holds the newest command and
 * nothing older, so a returning device never gets an old one after a newer (D-06).
 */
export class DeviceSession {
  readonly clean: boolean;
  will: Will | null = null;
  /**
   * True after a restart of the gateway: the missed commands are not known, so the device gets the present decision.
   */
  missedUnknown: boolean;
  readonly #slots: Slot[] = COMMAND_SUFFIXES.map(() => ({
    grantedQos: NOT_SUBSCRIBED,
    command: null,
    packetId: DELIVERED,
  }));
  readonly #filters = new Map<string, { readonly topics: readonly number[]; readonly qos: number }>();
  #nextPacketId = 1;

  constructor(clean: boolean, missedUnknown = false) {
    this.clean = clean;
    this.missedUnknown = missedUnknown;
  }

  /** The filters the device subscribed with, and the QoS granted for each. */
  get filters(): readonly (readonly [string, number])[] {
    return [...this.#filters].map(([filter, { qos }]) => [filter, qos]);
  }

  /** A filter that was there already gets the new QoS (MQTT-3.8.4-3). */
  subscribe(filter: string, topics: readonly number[], qos: number): void {
    this.#filters.set(filter, { topics, qos });
    this.#grant();
  }

  unsubscribe(filter: string): void {
    this.#filters.delete(filter);
    this.#grant();
  }

  /** The QoS with which a command topic is sent, or -1 if the device did not subscribe to it. */
  grantedQos(topic: number): number {
    return this.#slots[topic]?.grantedQos ?? NOT_SUBSCRIBED;
  }

  /** Notes a command as sent under a fresh packet id; it replaces the command that still waited on its topic. */
  sent(topic: number, command: Command): number {
    const slot = this.#slots[topic];
    if (slot === undefined) return DELIVERED;
    slot.command = command;
    slot.packetId = this.#takePacketId();
    return slot.packetId;
  }

  /** Notes a command that cannot be sent now. QoS 0 is not kept for an absent device. */
  missed(topic: number, command: Command): void {
    const slot = this.#slots[topic];
    if (slot === undefined || slot.grantedQos < 1) return;
    slot.command = command;
    slot.packetId = NEVER_SENT;
  }

  /** Whether a command waits on a topic to be sent, or sent again, when the device comes back. */
  awaits(topic: number): boolean {
    return this.#slots[topic]?.packetId !== DELIVERED;
  }

  acknowledged(packetId: number): void {
    for (const slot of this.#slots) if (slot.packetId === packetId) slot.packetId = DELIVERED;
  }

  /** Commands for a returning device: per topic the newest one that it did not acknowledge. */
  resends(): readonly Resend[] {
    const resends: Resend[] = [];
    for (const [topic, slot] of this.#slots.entries()) {
      if (slot.packetId === DELIVERED || slot.grantedQos < 1 || slot.command === null) continue;
      const duplicate = slot.packetId !== NEVER_SENT;
      if (!duplicate) slot.packetId = this.#takePacketId();
      resends.push({ topic, command: slot.command, qos: 1, packetId: slot.packetId, duplicate });
    }
    return resends;
  }

  /** Forgets commands on topics without a QoS 1 subscription: newer commands are not tracked from now on. */
  #grant(): void {
    for (const [topic, slot] of this.#slots.entries()) {
      const filters = [...this.#filters.values()].filter(({ topics }) => topics.includes(topic));
      slot.grantedQos = Math.max(NOT_SUBSCRIBED, ...filters.map(({ qos }) => qos));
      if (slot.grantedQos < 1) slot.packetId = DELIVERED;
    }
  }

  #takePacketId(): number {
    const packetId = this.#nextPacketId;
    this.#nextPacketId = packetId === LAST_COMMAND_PACKET_ID ? 1 : packetId + 1;
    return packetId;
  }
}
