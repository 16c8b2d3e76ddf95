import { Duplex } from 'node:stream';
import { PACKET } from './frame.ts';
import type { FrameHandler, Inlet } from './inlet.ts';
import { type PacketFault, packetFault } from './packet-checks.ts';

export interface BridgeOptions {
  readonly inlet: Inlet;
  readonly clientId: string;
  /** Replayed to aedes before anything the client sends, to bring it to where the client already is. */
  readonly replay: readonly Buffer[];
  /** Packet types of answers to the replay, in order, which the client has had before. */
  readonly hidden: readonly number[];
  /** aedes says 'no session' for one that has no subscriptions; MQTT does not (MQTT-3.2.2-2). */
  readonly sessionPresent: boolean;
  readonly onFault: (fault: PacketFault) => void;
  readonly onClosed: (bridge: Bridge) => void;
}

/** Carries a client's packets to aedes and back; checks on the way in what aedes does not. */
export class Bridge extends Duplex implements FrameHandler {
  readonly inlet: Inlet;
  readonly clientId: string;
  readonly #options: BridgeOptions;
  readonly #hidden: number[];
  /** aedes takes 200 packets at most before it is ready, and out of order those that come just then. */
  #held: Buffer[] | null = [];
  #connackSeen = false;

  constructor(options: BridgeOptions) {
    super({ allowHalfOpen: false });
    this.#options = options;
    this.inlet = options.inlet;
    this.clientId = options.clientId;
    this.#hidden = [...options.hidden];
    this.#connackSeen = options.hidden.includes(PACKET.connack);
    for (const frame of options.replay) this.push(frame);
  }

  /** How far the client is behind in reading. */
  get backlogBytes(): number {
    return this.writableLength + this.inlet.socket.writableLength;
  }

  frame(frame: Buffer, bodyAt: number): void {
    const fault = packetFault(frame, bodyAt);
    if (fault !== null) {
      this.#options.onFault(fault);
      this.inlet.destroy();
      return;
    }
    const kept = Buffer.from(frame);
    if (this.#held !== null) this.#held.push(kept);
    if (this.#held !== null || !this.push(kept)) this.inlet.socket.pause();
  }

  /** aedes knows the client now: it gets what the client sent meanwhile. */
  ready(): void {
    const held = this.#held ?? [];
    this.#held = null;
    this.inlet.socket.resume();
    for (const frame of held) if (!this.push(frame)) this.inlet.socket.pause();
  }

  clientGone(): void {
    this.destroy();
  }

  /** Another client came in under this id (MQTT-3.1.4-2). */
  replaced(): void {
    this.destroy();
  }

  override _read(): void {
    if (this.#held === null) this.inlet.socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#forward(chunk, done);
  }

  override _writev(
    chunks: readonly { readonly chunk: Buffer; readonly encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    this.#forward(Buffer.concat(chunks.map(({ chunk }) => Buffer.from(chunk))), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.inlet.end();
    this.#options.onClosed(this);
    done(error);
  }

  #forward(bytes: Buffer, done: (error?: Error | null) => void): void {
    const { socket } = this.inlet;
    if (socket.destroyed) {
      done();
      return;
    }
    const visible = this.#hidden.length === 0 && this.#connackSeen ? bytes : this.#mended(bytes);
    if (socket.write(visible)) done();
    else socket.once('drain', done);
  }

  /** aedes writes one packet at a time and corks it, so a chunk here is a sequence of whole packets. */
  #mended(bytes: Buffer): Buffer {
    const kept: Buffer[] = [];
    for (let at = 0; at < bytes.length; ) {
      const end = at + packetLength(bytes, at);
      const packet = bytes.subarray(at, end);
      at = end;
      const type = (packet[0] ?? 0) >> 4;
      if (type === this.#hidden[0]) {
        this.#hidden.shift();
        continue;
      }
      if (type === PACKET.connack && !this.#connackSeen) {
        this.#connackSeen = true;
        const accepted = packet[3] === 0;
        kept.push(accepted && this.#options.sessionPresent ? Buffer.from([packet[0] ?? 0, 2, 1, 0]) : packet);
        continue;
      }
      kept.push(packet);
    }
    return Buffer.concat(kept);
  }
}

function packetLength(bytes: Buffer, at: number): number {
  let length = 0;
  for (let index = 1; index <= 4; index++) {
    const byte = bytes[at + index] ?? 0;
    length += (byte & 0x7f) * 128 ** (index - 1);
    if (byte < 0x80) return 1 + index + length;
  }
  return bytes.length - at;
}
