import type { Packet } from 'mqtt-packet';

export type ConnectPacket = Extract<Packet, { cmd: 'connect' }>;

/** A CONNECT of MQTT 3.1.1 with a clean session and a keepalive of 60 s, unless `more` has others. */
export function connectOf(clientId: string, more: Partial<ConnectPacket> = {}): ConnectPacket {
  return { cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, clientId, keepalive: 60, ...more };
}
