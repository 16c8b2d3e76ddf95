import type { MessageOrigin } from './device-ports.ts';

/** The number of messages of a machine that are kept for people to read. */
export const MAX_RING_MESSAGES = 50;
/** The bytes that the kept messages of a machine may take together; fewer are kept if they are long. */
export const MAX_RING_BYTES = 12_288;
/**
 * The bytes that the messages of all machines may take. With many machines each gets less, but never less than 4 KiB.
 */
export const MAX_ALL_RINGS_BYTES = 6_291_456;
const LEAST_RING_BYTES = 4_096;
/** The part of one message that is kept; a third of the ring at most. */
const MAX_KEPT_MESSAGE_BYTES = 4_096;
/** The topic of a kept message; a longer one is shortened. */
const MAX_NAME_BYTES = 256;
/** The reason of a kept message; a longer one is shortened. */
const MAX_REASON_BYTES = 600;

/** Topics below a machine's root, and the routes of HTTP. A message of the last three also has a name. */
const TOPICS = ['status', 'vars', 'online', 'lwt', 'status/', 'vars/', ''] as const;
export type RingTopic = (typeof TOPICS)[number];

const OUTCOMES = ['taken', 'held', 'ignored', 'refused'] as const;
export type MessageOutcome = (typeof OUTCOMES)[number];

/** One message of a machine. */
export interface HeardMessage {
  readonly topic: RingTopic;
  /** The text behind `status/` or `vars/`, or the whole topic if the interface does not know it. */
  readonly name: string;
  readonly text: string;
  readonly origin: MessageOrigin;
}

/** The outcome of a message; `reason` is null if it was taken. */
export interface MessageFate {
  readonly outcome: MessageOutcome;
  readonly reason: string | null;
}

/** A message as it is read again; `length` is its whole length. */
export interface KeptMessage {
  readonly topic: string;
  readonly bytes: Buffer;
  readonly length: number;
  readonly transport: 'mqtt' | 'http';
  readonly qos: number;
  readonly isRetained: boolean;
  /** It came over MQTT 5. */
  readonly isMqtt5: boolean;
  readonly outcome: MessageOutcome;
  readonly reason: string | null;
  readonly at: number;
}

/** Numbers of one message, side by side. */
const FIELDS = 8;
const AT = 0;
const START = 1;
const BYTES = 2;
const LENGTH = 3;
const NAME = 4;
const REASON = 5;
const KIND = 6;
const FLAGS = 7;

const HTTP_FLAG = 8;
const RETAINED_FLAG = 16;
const MQTT_5_FLAG = 32;
const QOS_MASK = 3;

/**
 * The newest messages of a machine as bytes in one place of memory. A message is copied there, and decoded when it is
 * read. Objects that live until their successors come would slow the garbage collection.
 */
export class MessageRing {
  readonly #sizeBytes: number;
  /** A machine that sends nothing takes no memory. */
  #bytes = Buffer.alloc(0);
  #numbers = new Float64Array(0);
  #next = 0;
  #count = 0;
  #writeAt = 0;
  /** The number of all messages that ever came: it changes with each new message. */
  total = 0;

  /** `machines` is the number of machines that share the room. */
  constructor(machines = 1) {
    const share = Math.floor(MAX_ALL_RINGS_BYTES / Math.max(machines, 1));
    this.#sizeBytes = Math.max(LEAST_RING_BYTES, Math.min(MAX_RING_BYTES, share));
  }

  /** `at` in wall-clock milliseconds. */
  keep(message: HeardMessage, fate: MessageFate, at: number): void {
    if (this.#bytes.length === 0) this.#takeMemory();
    const { text, name, origin } = message;
    const { reason } = fate;
    const { raw, rawAt = 0 } = origin;
    const whole = raw === undefined ? Buffer.byteLength(text) : raw.length - rawAt;
    const kept = Math.min(whole, MAX_KEPT_MESSAGE_BYTES, Math.floor(this.#bytes.length / 3));
    const room = kept + (name === '' ? 0 : MAX_NAME_BYTES) + (reason === null ? 0 : MAX_REASON_BYTES) + 1;
    const start = this.#reserve(room);
    const bytes = raw === undefined ? this.#bytes.write(text, start, kept) : copy(raw, rawAt, kept, this.#bytes, start);
    const nameBytes = write(name, this.#bytes, start + bytes);
    const reasonBytes = reason === null ? 0 : this.#bytes.write(reason, start + bytes + nameBytes, MAX_REASON_BYTES);
    const numbers = this.#numbers;
    const base = this.#next * FIELDS;
    numbers[base + AT] = at;
    numbers[base + START] = start;
    numbers[base + BYTES] = bytes;
    numbers[base + LENGTH] = whole;
    numbers[base + NAME] = nameBytes;
    numbers[base + REASON] = reasonBytes;
    numbers[base + KIND] = TOPICS.indexOf(message.topic) * OUTCOMES.length + OUTCOMES.indexOf(fate.outcome);
    numbers[base + FLAGS] = flagsOf(origin);
    this.#advance(start + bytes + nameBytes + reasonBytes + 1);
  }

  /** The newest messages, newest first, at most `limit`. */
  messages(limit = MAX_RING_MESSAGES): readonly KeptMessage[] {
    return Array.from({ length: Math.min(limit, this.#count) }, (_, age) =>
      this.#read((this.#next - 1 - age + MAX_RING_MESSAGES) % MAX_RING_MESSAGES),
    );
  }

  #takeMemory(): void {
    this.#bytes = Buffer.allocUnsafeSlow(this.#sizeBytes);
    this.#numbers = new Float64Array(MAX_RING_MESSAGES * FIELDS);
  }

  #advance(writeAt: number): void {
    this.#writeAt = writeAt;
    this.#next = (this.#next + 1) % MAX_RING_MESSAGES;
    this.#count++;
    this.total++;
  }

  /** Makes room by removing the oldest messages. */
  #reserve(length: number): number {
    if (this.#count === MAX_RING_MESSAGES) this.#count--;
    if (this.#writeAt + length > this.#bytes.length) {
      while (this.#count > 0 && this.#startOfOldest() >= this.#writeAt) this.#count--;
      this.#writeAt = 0;
    }
    const from = this.#writeAt;
    while (this.#count > 0 && this.#startOfOldest() >= from && this.#startOfOldest() < from + length) this.#count--;
    return from;
  }

  #startOfOldest(): number {
    const oldest = (this.#next - this.#count + MAX_RING_MESSAGES) % MAX_RING_MESSAGES;
    return this.#numbers[oldest * FIELDS + START] ?? 0;
  }

  #read(slot: number): KeptMessage {
    const at = (field: number) => this.#numbers[slot * FIELDS + field] ?? 0;
    const start = at(START);
    const nameAt = start + at(BYTES);
    const reasonAt = nameAt + at(NAME);
    const kind = at(KIND);
    const flags = at(FLAGS);
    return {
      topic: (TOPICS[Math.floor(kind / OUTCOMES.length)] ?? '') + this.#bytes.toString('utf8', nameAt, reasonAt),
      bytes: Buffer.from(this.#bytes.subarray(start, nameAt)),
      length: at(LENGTH),
      transport: (flags & HTTP_FLAG) === 0 ? 'mqtt' : 'http',
      qos: flags & QOS_MASK,
      isRetained: (flags & RETAINED_FLAG) !== 0,
      isMqtt5: (flags & MQTT_5_FLAG) !== 0,
      outcome: OUTCOMES[kind % OUTCOMES.length] ?? 'taken',
      reason: at(REASON) === 0 ? null : this.#bytes.toString('utf8', reasonAt, reasonAt + at(REASON)),
      at: at(AT),
    };
  }
}

/** Up to this length a loop is faster than Buffer's own methods, which check their arguments in several steps. */
const SHORT_LENGTH = 64;

/** Copies `length` bytes. Gives their number. */
function copy(from: Buffer, fromAt: number, length: number, to: Buffer, at: number): number {
  if (length > SHORT_LENGTH) return from.copy(to, at, fromAt, fromAt + length);
  for (let index = 0; index < length; index++) to[at + index] = from[fromAt + index] ?? 0;
  return length;
}

/** Writes a name. Gives the number of its bytes. */
function write(name: string, to: Buffer, at: number): number {
  if (name.length > SHORT_LENGTH) return to.write(name, at, MAX_NAME_BYTES);
  for (let index = 0; index < name.length; index++) {
    const code = name.charCodeAt(index);
    if (code > 0x7f) return to.write(name, at, MAX_NAME_BYTES);
    to[at + index] = code;
  }
  return name.length;
}

function flagsOf({ transport, qos = 0, retain = false, isMqtt5 = false }: MessageOrigin): number {
  const version = isMqtt5 ? MQTT_5_FLAG : 0;
  return qos + (transport === 'http' ? HTTP_FLAG : 0) + (retain ? RETAINED_FLAG : 0) + version;
}
