import { REASON, type ReasonCode } from './reason-codes.ts';

/** The reason for which a packet ends its connection. */
export class PacketFault {
  readonly detail: string;
  /** The reason in MQTT 5. */
  readonly code: ReasonCode;
  readonly kind: 'protocolViolation' | 'limitReached';

  constructor(
    detail: string,
    code: ReasonCode = REASON.malformedPacket,
    kind: PacketFault['kind'] = 'protocolViolation',
  ) {
    this.detail = detail;
    this.code = code;
    this.kind = kind;
  }
}
