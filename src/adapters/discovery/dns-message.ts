/** Messages of multicast DNS (RFC 6762) as bytes. Foreign bytes are read within bounds; those that are no message give null. */

/** A name, label by label: a label may hold dots. */
export type DnsName = readonly string[];

export const DNS_TYPE = { a: 1, ptr: 12, txt: 16, aaaa: 28, srv: 33, nsec: 47, any: 255 } as const;

export interface DnsQuestion {
  readonly name: DnsName;
  readonly type: number;
  /** The asker wants the answer only for itself. */
  readonly isUnicast: boolean;
}

export interface DnsRecord {
  readonly name: DnsName;
  readonly type: number;
  readonly ttlSeconds: number;
  /** This gateway is the only owner of the record. */
  readonly isUnique: boolean;
  readonly data: Uint8Array;
}

export interface DnsMessage {
  readonly id: number;
  readonly isResponse: boolean;
  readonly questions: readonly DnsQuestion[];
  readonly answers: readonly DnsRecord[];
}

const CLASS_IN = 1;
const TOP_BIT = 0x8000;
const HEADER_BYTES = 12;
/** Labels of one name. A message with more is ignored. */
const MAX_LABELS = 32;
/** Pointers in one name. A message with more is ignored. */
const MAX_POINTERS = 8;
/** One label. A longer label of our own name is shortened, a message with one is ignored. */
const MAX_LABEL_BYTES = 63;
/** Questions, and answers, that are read of one message. Real messages have fewer. */
const MAX_QUESTIONS = 32;
/** Known answers that are read of one message. */
const MAX_ANSWERS = 64;

/** The key of a name; upper and lower case count as the same. */
export function nameKey(name: DnsName): string {
  return name.map((label) => label.toLowerCase()).join('\u0000');
}

/** The text as a label: at most 63 bytes. */
export function labelOf(text: string): string {
  let label = text;
  while (Buffer.byteLength(label) > MAX_LABEL_BYTES) label = Array.from(label).slice(0, -1).join('');
  return label;
}

export function nameBytes(name: DnsName): Buffer {
  const parts = name.map((label) => {
    const bytes = Buffer.from(labelOf(label));
    return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  });
  return Buffer.concat([...parts, Buffer.from([0])]);
}

/** Gives null if the bytes are no DNS message. */
export function readDnsMessage(bytes: Buffer): DnsMessage | null {
  try {
    return read(bytes);
  } catch (error) {
    // A read beyond the end: the message is shorter than it says.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function read(bytes: Buffer): DnsMessage {
  const reader = new Reader(bytes);
  const questions: DnsQuestion[] = [];
  const answers: DnsRecord[] = [];
  const isResponse = (bytes.readUInt16BE(2) & TOP_BIT) !== 0;
  const [asked, answered] = [bytes.readUInt16BE(4), bytes.readUInt16BE(6)];
  for (let count = 0; count < Math.min(asked, MAX_QUESTIONS); count++) questions.push(reader.question());
  if (asked <= MAX_QUESTIONS) {
    for (let count = 0; count < Math.min(answered, MAX_ANSWERS); count++) answers.push(reader.record());
  }
  return { id: bytes.readUInt16BE(0), isResponse, questions, answers };
}

class Reader {
  readonly #bytes: Buffer;
  #at = HEADER_BYTES;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  question(): DnsQuestion {
    const name = this.#name();
    const type = this.#uint16();
    return { name, type, isUnicast: (this.#uint16() & TOP_BIT) !== 0 };
  }

  record(): DnsRecord {
    const name = this.#name();
    const type = this.#uint16();
    const isUnique = (this.#uint16() & TOP_BIT) !== 0;
    const ttlSeconds = this.#bytes.readUInt32BE(this.#at);
    this.#at += 4;
    const length = this.#uint16();
    if (this.#at + length > this.#bytes.length) throw new RangeError('the data of a record end early');
    const data = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return { name, type, ttlSeconds, isUnique, data };
  }

  #uint16(): number {
    const value = this.#bytes.readUInt16BE(this.#at);
    this.#at += 2;
    return value;
  }

  /** A pointer leads to an earlier part of the message, so that reading ends. */
  #name(): DnsName {
    const labels: string[] = [];
    let at = this.#at;
    let pointers = 0;
    for (let length = this.#bytes.readUInt8(at); length !== 0; length = this.#bytes.readUInt8(at)) {
      if (length >= 0xc0) {
        if (pointers === 0) this.#at = at + 2;
        const target = this.#bytes.readUInt16BE(at) & 0x3fff;
        pointers += 1;
        if (target >= at || pointers > MAX_POINTERS) throw new RangeError('a pointer leads nowhere');
        at = target;
        continue;
      }
      if (length > MAX_LABEL_BYTES || labels.length === MAX_LABELS || at + 1 + length > this.#bytes.length) {
        throw new RangeError('a name is too long');
      }
      labels.push(this.#bytes.toString('utf8', at + 1, at + 1 + length));
      at += 1 + length;
    }
    if (pointers === 0) this.#at = at + 1;
    return labels;
  }
}

export interface ResponseOptions {
  /** The message of an ordinary resolver. Its id and its questions are repeated in the response. */
  readonly legacy?: Pick<DnsMessage, 'id' | 'questions'>;
  readonly additional?: readonly DnsRecord[];
}

export function responseBytes(
  answers: readonly DnsRecord[],
  { legacy, additional = [] }: ResponseOptions = {},
): Buffer {
  const questions = legacy?.questions ?? [];
  const counts = [legacy?.id ?? 0, 0x8400, questions.length, answers.length, 0, additional.length];
  // An ordinary resolver does not know what the top bit of a class means.
  const records = [...answers, ...additional].map((record) => recordBytes(record, legacy === undefined));
  return Buffer.concat([uint16s(counts), ...questions.map(questionBytes), ...records]);
}

export function queryBytes(questions: readonly DnsQuestion[], id = 0): Buffer {
  return Buffer.concat([uint16s([id, 0, questions.length, 0, 0, 0]), ...questions.map(questionBytes)]);
}

function questionBytes({ name, type, isUnicast }: DnsQuestion): Buffer {
  return Buffer.concat([nameBytes(name), uint16s([type, CLASS_IN | (isUnicast ? TOP_BIT : 0)])]);
}

function recordBytes({ name, type, ttlSeconds, isUnique, data }: DnsRecord, mayFlush: boolean): Buffer {
  const ttl = Buffer.alloc(4);
  ttl.writeUInt32BE(ttlSeconds);
  const head = uint16s([type, CLASS_IN | (isUnique && mayFlush ? TOP_BIT : 0)]);
  return Buffer.concat([nameBytes(name), head, ttl, uint16s([data.length]), data]);
}

function uint16s(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, index * 2);
  return bytes;
}
