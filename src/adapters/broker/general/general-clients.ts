import { randomUUID } from 'node:crypto';
import { errorMessage } from '../../../domain/error-text.ts';
import type { Clock, Incidents } from '../../../flows/ports.ts';
import { AedesAdapter } from '../aedes/aedes-adapter.ts';
import type { AedesCore } from '../aedes/aedes-core.ts';
import type { Arrival } from '../connect/connect-handler.ts';
import { type Entry, watchSilence } from '../connect/entry.ts';
import { KEEPALIVE_GRACE } from '../connect/mqtt-connection.ts';
import type { Owners } from '../connect/owners.ts';
import type { DisconnectPacket } from '../mqtt/acknowledgement-packet.ts';
import type { BrokerPersistence } from '../persistence/broker-persistence.ts';
import type { Router } from '../readers/router.ts';
import type { Wills } from '../wills.ts';
import { GeneralClient } from './general-client.ts';
import { PacketTurns } from './packet-turns.ts';
import type { Publications } from './publications.ts';

export interface GeneralClientsOptions {
  readonly entry: Entry;
  readonly owners: Owners;
  readonly wills: Wills;
  readonly aedes: AedesCore;
  readonly persistence: BrokerPersistence;
  readonly router: Router;
  readonly publications: Publications;
  readonly incidents: Incidents;
  readonly clock: Clock;
  /** Whether aedes serves the clients of MQTT 3.1 and 3.1.1. */
  readonly aedesServes: boolean;
  /** Forgets a client's subscriptions, and its messages of QoS 2 that it began. */
  readonly forgetReading: (clientId: string) => void;
}

/** Lets clients other than machines in: aedes serves those of MQTT 3, the gateway itself those of MQTT 5. */
export class GeneralClients {
  readonly #options: GeneralClientsOptions;
  readonly #turns = new PacketTurns(() => performance.now());
  #anonymousCount = 0;
  #closing = false;

  constructor(options: GeneralClientsOptions) {
    this.#options = options;
    const { aedes, incidents } = options;
    aedes.on('clientReady', ({ conn }) => conn instanceof AedesAdapter && conn.ready());
    aedes.on('clientError', ({ id }, error) =>
      incidents.report({ kind: 'protocolViolation', subject: id, detail: errorMessage(error) }),
    );
  }

  open(arrival: Arrival): void {
    if (arrival.packet.version < 5 && this.#options.aedesServes) this.#openAedesAdapter(arrival);
    else this.#openGeneral(arrival);
  }

  /** Wills stay on disk: they are published for clients that do not come back after a restart. */
  closing(): void {
    this.#closing = true;
    for (const client of Object.values(this.#options.aedes.clients)) Object.assign(client, { will: null });
  }

  #openGeneral(arrival: Arrival): void {
    const { clientConnection, packet } = arrival;
    const { cleanStart, sessionExpiryMs, version } = packet;
    const { router, persistence, wills, entry, owners } = this.#options;
    const isAnonymous = packet.clientId === '' && version < 5;
    const assigned = packet.clientId === '' && version === 5 ? `plantgate-${randomUUID()}` : null;
    const clientId = isAnonymous ? `anonymous-${++this.#anonymousCount}` : (assigned ?? packet.clientId);
    const known = cleanStart ? undefined : router.sessions.get(clientId);
    if (known === undefined) this.#options.forgetReading(clientId);
    const isPersistent = sessionExpiryMs > 0 || known !== undefined;
    const session = isPersistent ? router.sessions.open(clientId, router.feed.next, sessionExpiryMs) : null;
    if (isPersistent && session === null) {
      entry.refuseSession(arrival, clientId);
      return;
    }
    wills.returned(clientId, known !== undefined);
    persistence.dropWill(clientId);
    const client = new GeneralClient({
      ...entry.connectionOptions(arrival),
      clientId,
      sender: isAnonymous || assigned !== null ? clientConnection.address : clientId,
      reading: session,
      publications: this.#options.publications,
      turns: this.#turns,
      nowMs: () => this.#options.clock.now().monotonicMs,
      left: (gone, goodbye) => this.#generalLeft(gone, goodbye),
    });
    wills.save(clientId, client.will);
    owners.add(client, isAnonymous);
    entry.welcome(arrival, known !== undefined, { assignedClientId: assigned, responseInformation: null });
    client.open();
    clientConnection.handTo(client);
  }

  #generalLeft(client: GeneralClient, goodbye: DisconnectPacket | null): void {
    const { clientId, will } = client;
    this.#options.owners.remove(client);
    if (this.#closing) return;
    const sessionExpiryMs = goodbye?.sessionExpiryMs ?? client.sessionExpiryMs;
    if (sessionExpiryMs === 0) this.#options.persistence.incoming.forget(clientId);
    if (will === null) return;
    if (goodbye !== null && !goodbye.withWill) this.#options.wills.drop(clientId);
    else this.#options.wills.vanished(clientId, will, sessionExpiryMs);
  }

  #openAedesAdapter(arrival: Arrival): void {
    const { clientConnection, packet, frame, admission } = arrival;
    const { router, aedes, incidents, owners, wills, entry } = this.#options;
    const { clientId, version, sessionExpiryMs, keepaliveS } = packet;
    const isPersistent = !packet.cleanStart;
    const known = isPersistent ? router.sessions.get(clientId) : undefined;
    if (!isPersistent) this.#options.forgetReading(clientId);
    const session = isPersistent ? router.sessions.open(clientId, router.feed.next, sessionExpiryMs) : null;
    if (isPersistent && session === null) {
      entry.refuseSession(arrival, clientId);
      return;
    }
    wills.returned(clientId, known !== undefined);
    const name = clientId === '' ? `anonymous-${++this.#anonymousCount}` : clientId;
    const aedesAdapter = new AedesAdapter({
      clientConnection,
      clientId: name,
      connect: frame,
      rights: admission.kind === 'client' ? admission.rights : null,
      silenceLimitMs: keepaliveS * 1_000 * KEEPALIVE_GRACE,
      session,
      // The byte is reserved in MQTT 3.1.
      sessionPresent: known !== undefined && version !== 3,
      router,
      turns: this.#turns,
      incidents,
      nowMs: () => this.#options.clock.now().monotonicMs,
      onClosed: (closed) => owners.remove(closed),
    });
    watchSilence(clientConnection, packet);
    owners.add(aedesAdapter, clientId === '');
    aedes.handle(aedesAdapter);
    clientConnection.handTo(aedesAdapter);
  }
}
