import type { Socket } from 'node:net';
import type { Incident } from '../../../flows/ports.ts';
import { onReceived } from '../../../runtime/tune-engine.ts';
import { LIMITS } from '../limits.ts';
import { disconnectPacket } from '../mqtt/answers.ts';
import { type FrameFault, FrameReader, SPEAKS_HTTP } from '../mqtt/frame.ts';
import type { HeldBytes } from '../mqtt/held-bytes.ts';
import { type MqttVersion, REASON, type Reason } from '../mqtt/reason-codes.ts';

/** Takes the packets of a connection. */
export interface FrameHandler {
  /** `frame` is a view of the socket's memory: bytes that are needed after the call have to be copied. */
  frame(frame: Buffer, bodyAt: number): void;
  /** The packets behind the last one wait as bytes, until `goOn` of the connection is called. */
  readonly isBusy: boolean;
  /** The client has disconnected, or its socket is gone for any other reason. */
  clientGone(): void;
}

export interface ClientConnectionListener {
  /** The client has finished: `leave` and `end` are to be called, at once or later. */
  finished(clientConnection: ClientConnection): void;
  refused(clientConnection: ClientConnection, fault: FrameFault): void;
  /** A packet or the end of the connection triggered a fault in our code; the connection is closed. */
  failed(clientConnection: ClientConnection, error: unknown): void;
  /** The socket is gone; `leave` is to be called, at once or later. */
  closed(clientConnection: ClientConnection): void;
}

/** One client's socket: cuts the incoming bytes into packets and hands them to the client's handler. */
export class ClientConnection {
  readonly socket: Socket;
  readonly address: string;
  readonly connectedAtMs: number;
  lastReceivedMs: number;
  readonly #reader: FrameReader;
  readonly #listener: ClientConnectionListener;
  readonly #monotonicMs: () => number;
  #handler: FrameHandler | null = null;
  #reading = false;
  #ended = false;
  /** The last bytes are written. */
  #isClosing = false;
  /** The largest DISCONNECT that the client takes; null before its CONNACK, and in MQTT 3. */
  #maximumDisconnectBytes: number | null = null;
  readonly #held: HeldBytes;
  #heldBytes = 0;

  constructor(
    socket: Socket,
    maxPacketBytes: number,
    listener: ClientConnectionListener,
    held: HeldBytes,
    monotonicMs: () => number,
  ) {
    this.#held = held;
    this.socket = socket;
    this.address = socket.remoteAddress ?? 'unknown';
    this.#reader = new FrameReader(maxPacketBytes);
    this.#listener = listener;
    this.#monotonicMs = monotonicMs;
    this.connectedAtMs = monotonicMs();
    this.lastReceivedMs = this.connectedAtMs;
    onReceived(socket, (chunk) => this.#received(chunk));
    socket.on('close', () => {
      this.#hold(0);
      listener.closed(this);
    });
  }

  /** Sets the handler of the packets; with null they wait meanwhile. */
  handTo(handler: FrameHandler | null): void {
    this.#handler = handler;
    if (handler === null) return;
    // Bytes that came meanwhile wait in the socket, so silence counts from now on.
    this.lastReceivedMs = this.#monotonicMs();
    if (this.socket.isPaused()) this.socket.resume();
    this.#deliver();
  }

  get version(): MqttVersion {
    return this.#reader.version;
  }

  /** The version that the client speaks, from its CONNECT. */
  speak(version: MqttVersion): void {
    this.#reader.version = version;
  }

  /** The client is let in: from now on a DISCONNECT tells a client of MQTT 5 why it is cut off. */
  letIn(maximumPacketBytes: number): void {
    if (this.version === 5) this.#maximumDisconnectBytes = maximumPacketBytes;
  }

  /** Hands over the packets that waited while the handler was busy. Gives whether it took all of them. */
  goOn(): boolean {
    this.#deliver();
    this.#keepRest();
    return this.#handler?.isBusy === false;
  }

  /** Runs later work for this connection: a fault of the gateway closes the connection, and never ends the process. */
  attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Calls `onTaken` when the system has taken the bytes, or when the socket is gone. */
  write(bytes: Buffer, onTaken?: () => void): boolean {
    if (!this.socket.destroyed && !this.#isClosing) return this.socket.write(bytes, onTaken);
    if (onTaken !== undefined) setImmediate(onTaken);
    return false;
  }

  /** The client says goodbye: its later packets are ignored. */
  finish(): void {
    this.#ended = true;
    this.#listener.finished(this);
  }

  get isFinished(): boolean {
    return this.#ended;
  }

  /**
   * Cuts the client off, and tells it why if its version of MQTT can. The gateway waits for the client to close its
   * side: closing at once would send a reset, and a reset may swallow the reason.
   */
  cutOff(reason: Reason): void {
    if (this.#isClosing || this.socket.destroyed) return;
    if (this.#maximumDisconnectBytes === null) {
      this.destroy();
      return;
    }
    this.leave();
    this.#ended = true;
    this.#isClosing = true;
    this.#destroyAfterLinger();
    this.socket.end(disconnectPacket(reason, this.#maximumDisconnectBytes));
  }

  /** Sends the remaining bytes, then closes; it does not wait for a client that does not read them. */
  end(bytes?: Buffer): void {
    this.#handler = null;
    this.#ended = true;
    this.#isClosing = true;
    this.#destroyAfterLinger();
    if (bytes === undefined) this.socket.destroySoon();
    else this.socket.end(bytes, () => this.socket.destroy());
  }

  #destroyAfterLinger(): void {
    const deadline = setTimeout(() => this.socket.destroy(), LIMITS.lingerMs);
    this.socket.once('close', () => clearTimeout(deadline));
    this.socket.resume();
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Tells the handler that the client is gone. */
  leave(): void {
    const handler = this.#handler;
    this.#handler = null;
    try {
      handler?.clientGone();
    } catch (error) {
      this.#listener.failed(this, error);
    }
  }

  #received(chunk: Buffer): void {
    if (this.#ended) return;
    this.lastReceivedMs = this.#monotonicMs();
    this.#reader.push(chunk);
    // A pause and its end cost two system calls. Most clients send nothing before their CONNACK, and need no pause.
    if (this.#handler === null) this.socket.pause();
    else this.#deliver();
    this.#keepRest();
  }

  #keepRest(): void {
    this.#reader.keepRest();
    if (!this.#hold(this.#reader.heldBytes)) this.#listener.refused(this, 'no-room');
  }

  #hold(bytes: number): boolean {
    if (bytes === this.#heldBytes) return true;
    const hasRoom = this.#held.change(this.#heldBytes, bytes);
    this.#heldBytes = bytes;
    return hasRoom;
  }

  /** A handler may hand the connection on while it takes a packet, so each packet goes to the present handler. */
  #deliver(): void {
    if (this.#reading) return;
    this.#reading = true;
    try {
      this.#deliverFrames();
    } catch (error) {
      this.#fail(error);
    }
    this.#reading = false;
    while (this.socket.writableCorked > 0) this.socket.uncork();
  }

  #deliverFrames(): void {
    while (this.#handler?.isBusy === false && !this.#ended && !this.socket.destroyed) {
      const frame = this.#reader.next();
      if (frame === null) return;
      if (typeof frame === 'string') {
        this.#listener.refused(this, frame);
        return;
      }
      // Several packets that came together are answered together.
      if (this.#reader.hasMore) this.socket.cork();
      this.#handler.frame(frame, this.#reader.bodyAt);
    }
  }

  #fail(error: unknown): void {
    this.#listener.failed(this, error);
    this.cutOff({ code: REASON.unspecifiedError, text: 'a fault of the gateway: its log has the details' });
  }
}

/** The name of a fault of the bytes in diagnostics, and its code in MQTT 5. */
export function describeFault(
  fault: FrameFault,
  maxPacketBytes: number,
): Pick<Incident, 'kind' | 'detail'> & Pick<Reason, 'code'> {
  const violation = (detail: string) => ({ kind: 'protocolViolation', detail, code: REASON.malformedPacket }) as const;
  switch (fault) {
    case 'too-large': {
      const detail = `a packet above mqtt.maxPacketBytes (${maxPacketBytes})`;
      return { kind: 'packetTooLarge', detail, code: REASON.packetTooLarge };
    }
    case 'malformed':
      return violation('the bytes are not an MQTT packet');
    case 'tls':
      return violation(
        'speaks TLS on the port without TLS: choose the port of mqtt.tls, or turn TLS off in the client',
      );
    case 'http':
      return violation(SPEAKS_HTTP);
    case 'qos-3':
      return violation('publishes with QoS 3: choose 0, 1 or 2');
    case 'no-room': {
      const detail = `packets that are not complete hold ${LIMITS.partialPacketBytes} bytes already`;
      return { kind: 'limitReached', detail, code: REASON.quotaExceeded };
    }
  }
}
