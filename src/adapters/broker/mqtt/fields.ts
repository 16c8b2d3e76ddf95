import { isUtf8 } from 'node:buffer';
import { PacketFault } from './packet-fault.ts';
import { REASON, type ReasonCode } from './reason-codes.ts';

const NOTHING = Buffer.alloc(0);
const MAX_VARINT_BYTES = 4;

/**
 * Reads the fields of a packet from front to back. After a fault it gives zeros and empty texts, and keeps the first
 * fault.
 */
export class Fields {
  readonly frame: Buffer;
  at: number;
  readonly #end: number;
  #fault: PacketFault | null = null;

  constructor(frame: Buffer, at: number, end = frame.length) {
    this.frame = frame;
    this.at = at;
    this.#end = end;
  }

  get fault(): PacketFault | null {
    return this.#fault;
  }

  get hasMore(): boolean {
    return this.#fault === null && this.at < this.#end;
  }

  fail(detail: string, code: ReasonCode = REASON.malformedPacket): void {
    this.#fault ??= new PacketFault(detail, code);
  }

  byte(): number {
    return this.#has(1) ? this.frame.readUInt8(this.#advance(1)) : 0;
  }

  uint16(): number {
    return this.#has(2) ? this.frame.readUInt16BE(this.#advance(2)) : 0;
  }

  uint32(): number {
    return this.#has(4) ? this.frame.readUInt32BE(this.#advance(4)) : 0;
  }

  /** A variable byte integer in as few bytes as possible (MQTT-1.5.5-1). */
  variableInteger(): number {
    let value = 0;
    for (let index = 0; index < MAX_VARINT_BYTES; index++) {
      const byte = this.byte();
      value += (byte & 0x7f) * 128 ** index;
      if (byte >= 0x80) continue;
      if (byte === 0 && index > 0) this.fail('a number is written in more bytes than it needs');
      return value;
    }
    this.fail('a number has more than four bytes');
    return 0;
  }

  /** A view of the packet. */
  bytes(): Buffer {
    const length = this.uint16();
    if (!this.#has(length)) return NOTHING;
    const from = this.#advance(length);
    return this.frame.subarray(from, this.at);
  }

  /** Text in UTF-8 without U+0000 (MQTT-1.5.4-1, MQTT-1.5.4-2). */
  text(): string {
    const bytes = this.bytes();
    if (!isUtf8(bytes)) this.fail('a text is not UTF-8');
    if (bytes.includes(0)) this.fail('a text holds U+0000');
    return bytes.toString('utf8');
  }

  #has(bytes: number): boolean {
    if (this.at + bytes > this.#end) this.fail('the packet ends before its fields');
    return this.#fault === null;
  }

  #advance(bytes: number): number {
    const from = this.at;
    this.at += bytes;
    return from;
  }
}
