import { errorMessage } from '../../../domain/error-text.ts';
import type { Incidents } from '../../../flows/ports.ts';
import { PACKET } from '../mqtt/frame.ts';
import { parseConnect } from '../mqtt/packet-parser.ts';
import type { ConnectPacket } from '../mqtt/packet-reader.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import { type Admission, type Admissions, CONNACK, checkConnect, type Refusal, refusalOfFirst } from './admission.ts';
import type { ClientConnection, FrameHandler } from './client-connection.ts';

/** An admitted client: its CONNECT, parsed and as bytes. */
export interface Arrival {
  readonly clientConnection: ClientConnection;
  readonly packet: ConnectPacket;
  readonly frame: Buffer;
  readonly admission: Extract<Admission, { kind: 'machine' | 'client' }>;
}

export interface ConnectHandlerOptions {
  readonly admissions: Admissions;
  readonly incidents: Incidents;
  readonly pace: TimeSlicer;
  /** The first packet is here: from now on the client waits for the gateway. */
  readonly onHeard: (clientConnection: ClientConnection) => void;
  readonly onArrival: (arrival: Arrival) => void;
}

const LEVEL_3_1 = 3;

/** Whether a CONNACK tells that a session was there: the byte is reserved in MQTT 3.1. */
export function tellsSession({ protocolVersion }: ConnectPacket, sessionPresent: boolean): boolean {
  return sessionPresent && protocolVersion !== LEVEL_3_1;
}

export function connack(code: number, sessionPresent: boolean): Buffer {
  return Buffer.from([PACKET.connack << 4, 2, sessionPresent ? 1 : 0, code]);
}

/** Takes the first packet of a connection, which has to be a CONNECT that passes (MQTT-3.1.0-1). */
export class ConnectHandler implements FrameHandler {
  readonly isBusy = false;
  readonly #clientConnection: ClientConnection;
  readonly #options: ConnectHandlerOptions;

  constructor(clientConnection: ClientConnection, options: ConnectHandlerOptions) {
    this.#clientConnection = clientConnection;
    this.#options = options;
  }

  frame(frame: Buffer, bodyAt: number): void {
    this.#options.onHeard(this.#clientConnection);
    this.#clientConnection.handTo(null);
    const kept = Buffer.from(frame);
    this.#atItsTurn(() => this.#greet(kept, bodyAt));
  }

  clientGone(): void {
    // No work has begun for this connection.
  }

  #atItsTurn(work: () => void): void {
    this.#options.pace.run(this.#clientConnection, () => this.#clientConnection.attempt(work));
  }

  #greet(frame: Buffer, bodyAt: number): void {
    const packet = (frame[0] ?? 0) >> 4 === PACKET.connect ? parseConnect(frame, bodyAt) : null;
    if (packet === null) {
      this.#refuse(this.#clientConnection.address, refusalOfFirst(frame, bodyAt));
      return;
    }
    const refusal = checkConnect(packet);
    if (refusal !== null) {
      this.#refuse(packet.clientId, refusal);
      return;
    }
    if (packet.protocolVersion === LEVEL_3_1) this.#clientConnection.speakVersion31();
    const decide = (admission: Admission) => this.#atItsTurn(() => this.#decided(packet, frame, admission));
    this.#options.admissions.admit(packet, this.#clientConnection.address).then(decide, (error: unknown) => {
      decide({ kind: 'refuse', code: CONNACK.serverUnavailable, reason: errorMessage(error) });
    });
  }

  #decided(packet: ConnectPacket, frame: Buffer, admission: Admission): void {
    if (this.#clientConnection.socket.destroyed) return;
    if (admission.kind === 'refuse' || admission.kind === 'close') this.#refuse(packet.clientId, admission);
    else this.#options.onArrival({ clientConnection: this.#clientConnection, packet, frame, admission });
  }

  #refuse(subject: string, refusal: Refusal): void {
    const kind = refusal.kind === 'close' ? 'protocolViolation' : 'accessRefused';
    const { address } = this.#clientConnection;
    this.#options.incidents.report({
      kind,
      subject: subject === '' ? address : subject,
      detail: refusal.reason,
      address,
    });
    if (refusal.kind === 'close') this.#clientConnection.destroy();
    else this.#clientConnection.end(connack(refusal.code, false));
  }
}
