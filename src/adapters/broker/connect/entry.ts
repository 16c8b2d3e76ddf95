import type { Incidents } from '../../../flows/ports.ts';
import { LIMITS } from '../limits.ts';
import { acceptingConnack, refusingConnack, type Welcome } from '../mqtt/answers.ts';
import type { ConnectPacket } from '../mqtt/connect-packet.ts';
import { HeldBytes } from '../mqtt/held-bytes.ts';
import { REASON } from '../mqtt/reason-codes.ts';
import type { IncomingMessages } from '../persistence/incoming-messages.ts';
import type { Router } from '../readers/router.ts';
import type { ClientConnection } from './client-connection.ts';
import type { Arrival } from './connect-handler.ts';
import type { MqttConnectionOptions } from './mqtt-connection.ts';

export interface EntryOptions {
  readonly router: Router;
  readonly incidents: Incidents;
  readonly incoming: IncomingMessages;
  readonly maxPacketBytes: number;
}

/** Lets clients in: the steps that machines and other clients have in common. */
export class Entry {
  readonly #options: EntryOptions;
  readonly #aliasBytes = new HeldBytes(LIMITS.topicAliasBytes, 0);

  constructor(options: EntryOptions) {
    this.#options = options;
  }

  connectionOptions({
    clientConnection,
    packet,
    admission,
  }: Arrival): Omit<MqttConnectionOptions, 'clientId' | 'reading'> {
    const { router, incidents, incoming } = this.#options;
    watchSilence(clientConnection, packet);
    const rights = admission.kind === 'client' ? admission.rights : null;
    return { clientConnection, connect: packet, rights, router, incidents, incoming, aliasBytes: this.#aliasBytes };
  }

  /** Sends the CONNACK. Packets that follow in this turn are one write with it. */
  welcome(
    { clientConnection, packet }: Arrival,
    sessionPresent: boolean,
    told: Pick<Welcome, 'assignedClientId' | 'responseInformation'>,
  ): void {
    const { version, bounds, sessionExpiryMs, isSessionShortened } = packet;
    clientConnection.socket.cork();
    clientConnection.letIn(bounds.maximumPacketBytes);
    const { maxPacketBytes } = this.#options;
    const welcome = { maxPacketBytes, sessionExpiryMs: isSessionShortened ? sessionExpiryMs : null, ...told };
    clientConnection.write(acceptingConnack(version, sessionPresent, welcome, bounds.maximumPacketBytes));
  }

  refuseSession({ clientConnection, packet }: Arrival, clientId: string): void {
    const text = 'no room for one more persistent session';
    this.#options.incidents.report({ kind: 'limitReached', subject: clientId, detail: text });
    const { version, bounds } = packet;
    clientConnection.end(refusingConnack(version, { code: REASON.quotaExceeded, text }, bounds.maximumPacketBytes));
  }
}

/** A client that names no keepalive is asked for a sign of life by TCP itself. */
export function watchSilence(clientConnection: ClientConnection, { keepaliveS }: ConnectPacket): void {
  if (keepaliveS === 0) clientConnection.socket.setKeepAlive(true, LIMITS.tcpKeepaliveMs);
}
