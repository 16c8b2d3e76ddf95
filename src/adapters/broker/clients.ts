import type { DeviceInbox, DeviceRoute } from '../../flows/device/device-ports.ts';
import type { ConnectedClient } from '../../flows/local-api/local-api-ports.ts';
import type { Clock, Incidents } from '../../flows/ports.ts';
import type { BrokerRow } from '../../flows/store-ports.ts';
import type { AedesCore } from './aedes/aedes-core.ts';
import type { AccountRights, AccountTable } from './connect/accounts.ts';
import type { Access } from './connect/admission.ts';
import { ArrivalRate } from './connect/arrival-rate.ts';
import type { ClientConnection } from './connect/client-connection.ts';
import type { Arrival } from './connect/connect-handler.ts';
import { Entry } from './connect/entry.ts';
import { KEEPALIVE_GRACE } from './connect/mqtt-connection.ts';
import { type Owner, Owners } from './connect/owners.ts';
import { Takeovers } from './connect/takeovers.ts';
import type { CommandPublisher } from './device/command-publisher.ts';
import { Devices } from './device/devices.ts';
import { GeneralClients } from './general/general-clients.ts';
import type { Publications } from './general/publications.ts';
import { LIMITS } from './limits.ts';
import { REASON, type Reason } from './mqtt/reason-codes.ts';
import type { BrokerPersistence } from './persistence/broker-persistence.ts';
import type { GatheredCommits } from './persistence/gathered-commits.ts';
import type { Journal } from './persistence/journal.ts';
import type { Lifetimes } from './persistence/lifetimes.ts';
import type { Router } from './readers/router.ts';
import type { TimeSlicer } from './time-slicer.ts';
import { Wills } from './wills.ts';

export interface ClientsOptions {
  readonly aedes: AedesCore;
  readonly persistence: BrokerPersistence;
  readonly router: Router;
  readonly publications: Publications;
  readonly lifetimes: Lifetimes;
  readonly journal: Journal;
  readonly commits: GatheredCommits;
  readonly restored: readonly BrokerRow[];
  readonly inbox: DeviceInbox;
  readonly incidents: Incidents;
  readonly clock: Clock;
  readonly legacyTopics: boolean;
  readonly access: Access;
  readonly routes: readonly DeviceRoute[];
  readonly accounts: () => AccountTable;
  readonly departures: TimeSlicer;
  readonly maxPacketBytes: number;
  /** Whether aedes serves the clients of MQTT 3.1 and 3.1.1 that are no machines. */
  readonly aedesServes: boolean;
}

/** A client that was heard within this time is alive: another one with its id is a second device, not a reconnect. */
const RIVAL_MS = 5_000;

const ACCOUNT_CHANGED: Reason = {
  code: REASON.administrativeAction,
  text: 'the MQTT account of this client was changed or removed',
};

/** Every connected client: machines, and clients in general. */
export class Clients {
  readonly #options: ClientsOptions;
  readonly #owners = new Owners();
  readonly #takeovers: Takeovers;
  readonly #wills: Wills;
  readonly #arrivals = new ArrivalRate();
  readonly #devices: Devices;
  readonly #general: GeneralClients;

  constructor(options: ClientsOptions) {
    this.#options = options;
    this.#takeovers = new Takeovers(options.aedes);
    this.#wills = new Wills(options);
    const { incoming } = options.persistence;
    const forgetReading = (clientId: string) => this.#forgetReading(clientId);
    const shared = {
      owners: this.#owners,
      wills: this.#wills,
      entry: new Entry({ ...options, incoming }),
      forgetReading,
    };
    this.#general = new GeneralClients({ ...options, ...shared });
    this.#devices = new Devices({ ...options, ...shared });
  }

  get connectedDevices(): number {
    return this.#owners.count(true);
  }

  get connectedGeneral(): number {
    return this.#owners.count(false);
  }

  *connected(): Generator<ConnectedClient> {
    const { monotonicMs } = this.#options.clock.now();
    for (const owner of this.#owners.all()) {
      const { clientId, clientConnection, silenceLimitMs, backlogBytes, isMachine, rights } = owner;
      yield {
        clientId,
        address: clientConnection.address,
        connectedMs: monotonicMs - clientConnection.connectedAtMs,
        keepaliveMs: silenceLimitMs / KEEPALIVE_GRACE,
        isMachine,
        account: rights?.account.name ?? null,
        version: clientConnection.version,
        subscriptions: owner.subscriptions.map(([filter, qos]) => ({ filter, qos })),
        bytesBehind: backlogBytes,
      };
    }
  }

  commandPublisher(machineId: string): CommandPublisher | undefined {
    return this.#devices.commandPublisher(machineId);
  }

  nameOf(clientConnection: ClientConnection): string | undefined {
    return this.#owners.nameOf(clientConnection);
  }

  /** The plant has changed. A client whose account changed has to log in again (D-66). */
  configure(routes: readonly DeviceRoute[]): void {
    this.#devices.configure(routes);
    for (const owner of [...this.#owners.all()]) if (!this.#isCurrent(owner.rights)) owner.cutOff(ACCOUNT_CHANGED);
  }

  #isCurrent(rights: AccountRights | null): boolean {
    return rights === null || this.#options.accounts().isCurrent(rights.account);
  }

  arrived(arrival: Arrival): void {
    if (arrival.admission.kind === 'machine') this.#arrive(arrival);
    else this.#arrivals.run(arrival.clientConnection, () => this.#arrive(arrival));
  }

  /** Forgets a connection that ended before it was let in. */
  gone(clientConnection: ClientConnection): void {
    this.#arrivals.drop(clientConnection);
  }

  #arrive(arrival: Arrival): void {
    const { clientConnection, packet } = arrival;
    if (clientConnection.socket.destroyed) return;
    const { clientId } = packet;
    const previous = this.#owners.get(clientId);
    if (previous !== undefined) {
      this.#reportRival(previous, arrival);
      previous.replaced(clientConnection.address);
    }
    this.#takeovers.onceFree(clientId, clientConnection, () => this.#open(arrival));
  }

  #open(arrival: Arrival): void {
    const { clientConnection, packet, admission } = arrival;
    if (!this.#wills.hold(arrival)) return;
    const own = this.#devices.commandPublisher(packet.clientId);
    const admittedBy = admission.kind === 'machine' ? admission.route.mqttPasswordHash : undefined;
    // If the plant has changed since the client was admitted, it has to ask again.
    const rights = admission.kind === 'client' ? admission.rights : null;
    if (own?.route.mqttPasswordHash !== admittedBy || !this.#isCurrent(rights)) {
      clientConnection.destroy();
      return;
    }
    this.#options.persistence.incoming.connected(packet.clientId);
    if (own === undefined) this.#general.open(arrival);
    else this.#devices.open(arrival, own);
  }

  /** Cuts off clients whose keepalive has run out. If a network switch fails, these are all machines at once. */
  sweep(monotonicMs: number): void {
    const { router, departures } = this.#options;
    router.sweep();
    const isSilent = ({ clientConnection, silenceLimitMs }: Owner) =>
      silenceLimitMs > 0 && monotonicMs - clientConnection.lastReceivedMs > silenceLimitMs;
    for (const owner of this.#owners.all()) {
      owner.sweep?.(monotonicMs);
      if (!isSilent(owner)) continue;
      const text = `nothing came for ${owner.silenceLimitMs} ms, one and a half times the keep alive`;
      departures.run(owner.clientConnection, () => owner.cutOff({ code: REASON.keepAliveTimeout, text }));
    }
    this.#cutOffStalled(monotonicMs);
    this.#wills.sweep();
    this.#expireSessions(monotonicMs);
  }

  /** Ends clients that publish and leave the answers unread. */
  #cutOffStalled(monotonicMs: number): void {
    const stalled = [...this.#owners.all()].filter(({ stalledSinceMs }) => stalledSinceMs !== null);
    const isCrowd = stalled.length > LIMITS.stalledClients;
    const timeoutMs = isCrowd ? LIMITS.stalledUnderPressureMs : LIMITS.stalledWriteMs;
    for (const owner of stalled) {
      if (monotonicMs - (owner.stalledSinceMs ?? monotonicMs) <= timeoutMs) continue;
      const detail = 'was cut off: it does not take the answers to what it publishes';
      this.#options.incidents.report({ kind: 'slowReader', subject: owner.clientId, detail });
      owner.cutOff({ code: REASON.quotaExceeded, text: detail });
    }
  }

  #expireSessions(monotonicMs: number): void {
    for (const clientId of this.#options.router.sessions.expired()) {
      if (this.#owners.get(clientId) !== undefined) continue;
      this.#forgetReading(clientId);
      this.#wills.sessionEnded(clientId);
    }
    this.#devices.expireSessions(monotonicMs);
  }

  /** Clients of MQTT 5 are told that the gateway stops. */
  closing(): void {
    this.#arrivals.close();
    this.#devices.closing();
    this.#general.closing();
    this.#options.commits.flush();
    const reason = { code: REASON.serverShuttingDown, text: 'the gateway stops: connect again' } as const;
    for (const owner of [...this.#owners.all()]) if (owner.clientConnection.version === 5) owner.cutOff(reason);
  }

  #forgetReading(clientId: string): void {
    this.#options.router.forgetSession(clientId);
    this.#options.persistence.incoming.forget(clientId);
  }

  #reportRival(previous: Owner, { clientConnection, packet }: Arrival): void {
    const heardMs = this.#options.clock.now().monotonicMs - previous.clientConnection.lastReceivedMs;
    if (previous.clientConnection.isFinished || previous.clientConnection.socket.destroyed || heardMs > RIVAL_MS)
      return;
    const { address } = clientConnection;
    const cutOff = previous.clientConnection.address;
    const detail = `two clients use this id: ${cutOff} was cut off, ${address} came in. Give each its own client id`;
    this.#options.incidents.report({ kind: 'duplicateClientId', subject: packet.clientId, detail, address });
  }
}
