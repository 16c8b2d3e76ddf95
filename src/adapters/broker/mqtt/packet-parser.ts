import { type IUnsubscribePacket, type Packet, parser } from 'mqtt-packet';
import { type ConnectPacket, readConnect, readSubscribe, type SubscribePacket } from './packet-reader.ts';

type WholePacketParser = (frame: Buffer) => Packet | null;

/**
 * mqtt-packet's parser keeps the bytes of an unfinished packet. With whole packets it keeps nothing and can be used
 * again.
 */
function createParser(): WholePacketParser {
  const reader = parser({ protocolVersion: 4 });
  let parsed: Packet | null = null;
  let failed = false;
  reader.on('packet', (packet) => {
    parsed = packet;
  });
  reader.on('error', () => {
    failed = true;
  });
  return (frame) => {
    parsed = null;
    reader.parse(frame);
    return failed ? null : parsed;
  };
}

/**
 * Parses one whole packet; null if it is malformed. After a fault a new parser is made: the old one may still hold
 * parts of the packet.
 */
function reusedParser(): WholePacketParser {
  let parse = createParser();
  return (frame) => {
    const packet = parse(frame);
    if (packet === null) parse = createParser();
    return packet;
  };
}

/** A parser uses the protocol version of each CONNECT for the following packets, so CONNECTs have their own parser. */
const parseFirst = reusedParser();
const parseOther = reusedParser();

/**
 * The parsed CONNECT, null if it is malformed. Ordinary packets are read by packet-reader.ts, others by mqtt-packet.
 */
export function parseConnect(frame: Buffer, bodyAt: number): ConnectPacket | null {
  const ordinary = readConnect(frame, bodyAt);
  if (ordinary === 'overlong') return null;
  if (ordinary !== null) return ordinary;
  const packet = parseFirst(Buffer.from(frame));
  return packet?.cmd === 'connect' ? packet : null;
}

export function parseSubscribe(frame: Buffer, bodyAt: number): SubscribePacket | null {
  const ordinary = readSubscribe(frame, bodyAt);
  if (ordinary !== null) return ordinary;
  const packet = parseOther(frame);
  return packet?.cmd === 'subscribe' ? packet : null;
}

export function parseUnsubscribe(frame: Buffer): IUnsubscribePacket | null {
  const packet = parseOther(frame);
  return packet?.cmd === 'unsubscribe' ? packet : null;
}
