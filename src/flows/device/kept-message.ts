/** How much of a device's last message is kept to be shown. */
const MAX_KEPT_LENGTH = 4_096;
/** Messages of one device differ by a few bytes in length: a place that has room for some more serves them all. */
const SPARE_BYTES = 64;

/**
 * What a device said last, word for word, until the next overwrites it. Thousands of texts that live just until their
 * successors come are what holds up collecting garbage; bytes in a place of their own are not looked at.
 */
export class KeptMessage {
  at: number;
  transport: 'mqtt' | 'http';
  #bytes: Buffer = NO_BYTES;
  #length = 0;

  /** `at` in wall-clock milliseconds. */
  constructor(text: string, at: number, transport: 'mqtt' | 'http') {
    this.at = at;
    this.transport = transport;
    this.#write(text);
  }

  /** Replaces the message kept before. */
  replace(text: string, at: number, transport: 'mqtt' | 'http'): void {
    this.at = at;
    this.transport = transport;
    this.#write(text);
  }

  /** The message, or the beginning of a long one. */
  get text(): string {
    return this.#bytes.toString('utf8', 0, this.#length);
  }

  #write(text: string): void {
    const kept = text.length > MAX_KEPT_LENGTH ? text.slice(0, MAX_KEPT_LENGTH) : text;
    const length = Buffer.byteLength(kept);
    if (length > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(length + SPARE_BYTES);
    this.#length = this.#bytes.write(kept);
  }
}

const NO_BYTES = Buffer.alloc(0);
