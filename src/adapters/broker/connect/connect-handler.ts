import { errorMessage } from '../../../domain/error-text.ts';
import type { Incidents } from '../../../flows/ports.ts';
import { refusingConnack } from '../mqtt/answers.ts';
import { type ConnectPacket, protocolLevel, readConnect } from '../mqtt/connect-packet.ts';
import { PACKET } from '../mqtt/frame.ts';
import { PacketFault } from '../mqtt/packet-fault.ts';
import { REASON } from '../mqtt/reason-codes.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import {
  type Admission,
  type Admissions,
  type Admitted,
  checkConnect,
  type Refusal,
  refusalOfFirst,
  refuse,
} from './admission.ts';
import type { ClientConnection, FrameHandler } from './client-connection.ts';

/** An admitted client: its CONNECT, parsed and as bytes. */
export interface Arrival {
  readonly clientConnection: ClientConnection;
  readonly packet: ConnectPacket;
  readonly frame: Buffer;
  readonly admission: Admitted;
}

export interface ConnectHandlerOptions {
  readonly admissions: Admissions;
  readonly incidents: Incidents;
  readonly pace: TimeSlicer;
  /** The first packet is here: from now on the client waits for the gateway. */
  readonly onHeard: (clientConnection: ClientConnection) => void;
  readonly onArrival: (arrival: Arrival) => void;
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
    const isConnect = (frame[0] ?? 0) >> 4 === PACKET.connect;
    const packet = isConnect ? readConnect(frame, bodyAt) : null;
    if (packet === null || packet instanceof PacketFault) {
      if (isConnect && protocolLevel(frame, bodyAt) === 5) this.#clientConnection.speak(5);
      this.#refuse(this.#clientConnection.address, refusalOfFirst(frame, bodyAt, packet));
      return;
    }
    this.#clientConnection.speak(packet.version);
    const refusal = checkConnect(packet);
    if (refusal !== null) {
      this.#refuse(packet.clientId, refusal);
      return;
    }
    const decide = (admission: Admission) => this.#atItsTurn(() => this.#decided(packet, frame, admission));
    this.#options.admissions.admit(packet, this.#clientConnection).then(decide, (error: unknown) => {
      decide(refuse(REASON.serverUnavailable, errorMessage(error)));
    });
  }

  #decided(packet: ConnectPacket, frame: Buffer, admission: Admission): void {
    if (this.#clientConnection.socket.destroyed) return;
    if ('reason' in admission) this.#refuse(packet.clientId, admission);
    else this.#options.onArrival({ clientConnection: this.#clientConnection, packet, frame, admission });
  }

  /** A client of MQTT 5 is told also how its CONNECT breaks the protocol. */
  #refuse(subject: string, { kind, reason }: Refusal): void {
    const { address, version } = this.#clientConnection;
    this.#options.incidents.report({
      kind: kind === 'close' ? 'protocolViolation' : 'accessRefused',
      subject: subject === '' ? address : subject,
      detail: reason.text,
      address,
    });
    if (kind === 'close' && version < 5) this.#clientConnection.destroy();
    else this.#clientConnection.end(refusingConnack(version, reason));
  }
}
