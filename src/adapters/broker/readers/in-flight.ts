import { LIMITS } from '../limits.ts';

const FIRST_PACKET_ID = 1;
/** Greater packet ids on a machine's connection belong to its commands (DeviceSession). */
export const LAST_READER_PACKET_ID = 32_767;

/** One message that was sent and is not acknowledged yet. */
export interface Sent {
  readonly seq: number;
  readonly qos: 1 | 2;
  /** The reader has it (PUBREC); the PUBREL is not acknowledged yet. */
  readonly isReleased: boolean;
  /** The filter for which a retained message was sent; other messages have none. Not on disk. */
  readonly retainedFor?: string | undefined;
  /** The shared subscription by which it came. Not on disk. */
  readonly sharedBy?: string | undefined;
}

/** Messages of QoS 1 or 2 that one reader did not acknowledge yet, by packet id, in the order of sending. */
export class InFlight {
  readonly #sent = new Map<number, Sent>();
  /** Counts the changes, so that the position of a session is written again only after a change. */
  changes = 0;
  #nextId = FIRST_PACKET_ID;
  #hasAcknowledged = false;
  #isIgnored = false;
  #fullSinceMs: number | null = null;

  get size(): number {
    return this.#sent.size;
  }

  /** Whether the reader has to acknowledge something before it gets more. `window` is what its connection takes. */
  isFull(window: number): boolean {
    return this.#sent.size >= window && !this.#isIgnored;
  }

  /** Forgets, for a new connection, whether the reader acknowledges anything. */
  connectionOpened(): void {
    this.#hasAcknowledged = false;
    this.#isIgnored = false;
    this.#fullSinceMs = null;
  }

  /**
   * Whether the gateway stops waiting for acknowledgements: the reader has sent none since it connected, for so long
   * that it never will. There are PLCs of this kind, and they need their commands.
   */
  stopsWaiting(nowMs: number): boolean {
    if (this.#hasAcknowledged || !this.isFull(LIMITS.inFlightPerReader)) {
      this.#fullSinceMs = null;
      return false;
    }
    this.#fullSinceMs ??= nowMs;
    this.#isIgnored = nowMs - this.#fullSinceMs >= LIMITS.acknowledgeMs;
    return this.#isIgnored;
  }

  /** Gives the packet id for a message that is sent now. */
  track(sent: Omit<Sent, 'isReleased'>): number {
    if (this.#sent.size >= LIMITS.inFlightPerReader) this.#forgetOldest();
    while (this.#sent.has(this.#nextId)) this.#advance();
    const packetId = this.#nextId;
    this.#advance();
    this.changes++;
    this.#sent.set(packetId, { ...sent, isReleased: false });
    return packetId;
  }

  restore(packetId: number, sent: Sent): void {
    this.#sent.set(packetId, sent);
    if (packetId >= this.#nextId) this.#nextId = packetId === LAST_READER_PACKET_ID ? FIRST_PACKET_ID : packetId + 1;
  }

  get(packetId: number): Sent | undefined {
    return this.#sent.get(packetId);
  }

  /** The message is not to be sent again after all. */
  forget(packetId: number): void {
    if (this.#sent.delete(packetId)) this.changes++;
  }

  /** Takes a PUBACK or PUBCOMP: the message is complete. */
  end(packetId: number): void {
    this.#hasAcknowledged = true;
    this.#isIgnored = false;
    this.forget(packetId);
  }

  /**
   * Takes out the messages of QoS 1 that came by a shared subscription, because another member may get them. Those of
   * QoS 2 wait for this client (MQTT-4.8.2-4).
   */
  takeShared(): readonly Sent[] {
    const shared = [...this.#sent].filter(([, { qos, sharedBy }]) => qos === 1 && sharedBy !== undefined);
    for (const [packetId] of shared) this.forget(packetId);
    return shared.map(([, sent]) => sent);
  }

  /** Takes a PUBREC. Gives whether there is such a message, which then gets its PUBREL. */
  release(packetId: number): boolean {
    const sent = this.#sent.get(packetId);
    this.#hasAcknowledged = true;
    if (sent?.qos !== 2) return false;
    this.changes++;
    this.#sent.set(packetId, { ...sent, isReleased: true });
    return true;
  }

  packetIds(): readonly number[] {
    return [...this.#sent.keys()];
  }

  /** The entries for the disk. */
  entries(): readonly (readonly [number, Sent])[] {
    return [...this.#sent].map(([packetId, { seq, qos, isReleased }]) => [packetId, { seq, qos, isReleased }]);
  }

  /** The place of the oldest message that the reader does not have yet, or `none`. */
  oldestSeq(none: number): number {
    let oldest = none;
    for (const { seq, isReleased } of this.#sent.values()) if (!isReleased && seq < oldest) oldest = seq;
    return oldest;
  }

  #forgetOldest(): void {
    for (const packetId of this.#sent.keys()) {
      this.#sent.delete(packetId);
      return;
    }
  }

  #advance(): void {
    this.#nextId = this.#nextId === LAST_READER_PACKET_ID ? FIRST_PACKET_ID : this.#nextId + 1;
  }
}
