import type { Incidents } from '../../flows/ports.ts';
import { type Admission, type Admissions, CONNACK, checkConnect } from './admission.ts';
import { PACKET } from './frame.ts';
import type { FrameHandler, Inlet } from './inlet.ts';
import { type ConnectPacket, parseConnect } from './packet-parser.ts';

/** A client that may come in: its CONNECT, and the bytes of it for whoever wants to read them again. */
export interface Arrival {
  readonly inlet: Inlet;
  readonly packet: ConnectPacket;
  readonly frame: Buffer;
  readonly admission: Extract<Admission, { kind: 'machine' | 'client' }>;
}

export interface ReceptionOptions {
  readonly admissions: Admissions;
  readonly incidents: Incidents;
  readonly onArrival: (arrival: Arrival) => void;
  readonly onDone: (inlet: Inlet) => void;
}

export function connack(code: number, sessionPresent: boolean): Buffer {
  return Buffer.from([PACKET.connack << 4, 2, sessionPresent ? 1 : 0, code]);
}

/** Takes the first packet of a connection, which has to be a CONNECT that passes (MQTT-3.1.0-1). */
export class Reception implements FrameHandler {
  readonly #inlet: Inlet;
  readonly #options: ReceptionOptions;

  constructor(inlet: Inlet, options: ReceptionOptions) {
    this.#inlet = inlet;
    this.#options = options;
  }

  frame(frame: Buffer): void {
    const packet = (frame[0] ?? 0) >> 4 === PACKET.connect ? parseConnect(frame) : null;
    if (packet === null) {
      this.#refuse(this.#inlet.address, { kind: 'close', reason: 'the first packet is no valid CONNECT' });
      return;
    }
    const refusal = checkConnect(packet);
    if (refusal !== null) {
      this.#refuse(packet.clientId, refusal);
      return;
    }
    this.#inlet.handTo(null);
    const kept = Buffer.from(frame);
    this.#options.admissions.admit(packet).then(
      (admission) => this.#decided(packet, kept, admission),
      (error: unknown) =>
        this.#refuse(packet.clientId, { kind: 'refuse', code: CONNACK.serverUnavailable, reason: String(error) }),
    );
  }

  socketClosed(): void {
    this.#options.onDone(this.#inlet);
  }

  #decided(packet: ConnectPacket, frame: Buffer, admission: Admission): void {
    if (this.#inlet.socket.destroyed) return;
    if (admission.kind === 'refuse' || admission.kind === 'close') {
      this.#refuse(packet.clientId, admission);
      return;
    }
    this.#options.onDone(this.#inlet);
    this.#options.onArrival({ inlet: this.#inlet, packet, frame, admission });
  }

  #refuse(subject: string, admission: Admission): void {
    if (admission.kind !== 'refuse' && admission.kind !== 'close') return;
    const kind = admission.kind === 'close' ? 'protocolViolation' : 'accessRefused';
    this.#options.incidents.report({ kind, subject, detail: admission.reason });
    this.#options.onDone(this.#inlet);
    if (admission.kind === 'close') this.#inlet.destroy();
    else this.#inlet.end(connack(admission.code, false));
  }
}
