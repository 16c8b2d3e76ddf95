import type { DeviceInbox, DeviceRoute } from '../../../flows/device/device-ports.ts';
import type { Clock } from '../../../flows/ports.ts';
import type { BrokerRow } from '../../../flows/store-ports.ts';
import type { Access } from '../connect/admission.ts';
import type { Arrival } from '../connect/connect-handler.ts';
import type { Entry } from '../connect/entry.ts';
import type { Owners } from '../connect/owners.ts';
import type { DisconnectPacket } from '../mqtt/acknowledgement-packet.ts';
import { REASON } from '../mqtt/reason-codes.ts';
import type { BrokerPersistence } from '../persistence/broker-persistence.ts';
import type { GatheredCommits } from '../persistence/gathered-commits.ts';
import type { Journal } from '../persistence/journal.ts';
import type { Router } from '../readers/router.ts';
import type { Wills } from '../wills.ts';
import { CommandPublisher, type CommandPublisherOptions, commandMaker } from './command-publisher.ts';
import { DeviceConnection } from './device-connection.ts';
import { DeviceSession } from './device-session.ts';
import { DEVICE_KEY_PREFIX, DeviceSessions } from './device-sessions.ts';

export interface DevicesOptions {
  readonly entry: Entry;
  readonly owners: Owners;
  readonly wills: Wills;
  readonly persistence: BrokerPersistence;
  readonly router: Router;
  readonly journal: Journal;
  readonly commits: GatheredCommits;
  readonly restored: readonly BrokerRow[];
  readonly inbox: DeviceInbox;
  readonly clock: Clock;
  readonly legacyTopics: boolean;
  readonly access: Access;
  readonly routes: readonly DeviceRoute[];
  /** Forgets a client's subscriptions besides commands, and its messages of QoS 2 that it began. */
  readonly forgetReading: (clientId: string) => void;
}

const PLANT_CHANGED = { code: REASON.administrativeAction, text: 'the plant has changed: connect again' } as const;

/** The machines of the plant: their commands, their sessions, and the connection of each. */
export class Devices {
  readonly #options: DevicesOptions;
  readonly #commandPublishers = new Map<string, CommandPublisher>();
  readonly #sessions: DeviceSessions;
  readonly #publisherOptions: CommandPublisherOptions;
  #closing = false;

  constructor(options: DevicesOptions) {
    this.#options = options;
    const { router, inbox, clock, wills } = options;
    const rows = options.restored.filter((row) => row.table === 'session' && row.key.startsWith(DEVICE_KEY_PREFIX));
    this.#sessions = new DeviceSessions(options, rows);
    for (const [machineId, will] of this.#sessions.leftoverWills()) wills.leftOver(machineId, will);
    const command = commandMaker(() => clock.now().wallMs);
    this.#publisherOptions = { legacyTopics: options.legacyTopics, router, inbox, command };
    this.configure(options.routes);
    this.#sessions.forgetUnclaimed();
  }

  commandPublisher(machineId: string): CommandPublisher | undefined {
    return this.#commandPublishers.get(machineId);
  }

  /** A machine whose TopicRoot changed is a new one to the broker: its device has to come in again. */
  configure(routes: readonly DeviceRoute[]): void {
    const wanted = new Map(routes.map((route) => [route.machineId as string, route]));
    for (const [machineId, commandPublisher] of this.#commandPublishers)
      this.#reconfigure(commandPublisher, wanted.get(machineId));
    for (const route of routes) {
      if (this.#commandPublishers.has(route.machineId)) continue;
      this.#options.owners.get(route.machineId)?.cutOff(PLANT_CHANGED);
      const commandPublisher = new CommandPublisher(route, this.#publisherOptions);
      this.#sessions.restore(commandPublisher);
      this.#commandPublishers.set(route.machineId, commandPublisher);
    }
  }

  #reconfigure(commandPublisher: CommandPublisher, route: DeviceRoute | undefined): void {
    const { machineId, topicRoot, mqttPasswordHash } = commandPublisher.route;
    const stays = route?.topicRoot === topicRoot;
    const mayStay = this.#options.access !== 'password' || route?.mqttPasswordHash === mqttPasswordHash;
    if (!stays || !mayStay) this.#options.owners.get(machineId)?.cutOff(PLANT_CHANGED);
    if (stays) {
      commandPublisher.route = route;
      return;
    }
    this.#commandPublishers.delete(machineId);
    this.#sessions.forget(machineId);
    this.#options.forgetReading(machineId);
  }

  open(arrival: Arrival, commandPublisher: CommandPublisher): void {
    const { clientConnection, packet } = arrival;
    const { router, persistence, wills, entry, owners } = this.#options;
    const { clientId, cleanStart, sessionExpiryMs } = packet;
    const known = commandPublisher.session;
    const resumed = cleanStart || known === null || known.expiryMs === 0 ? null : known;
    if (resumed === null) this.#options.forgetReading(clientId);
    const session = resumed ?? new DeviceSession(sessionExpiryMs);
    session.expiryMs = sessionExpiryMs;
    session.awaySinceMs = null;
    session.will = packet.will;
    session.resumed();
    wills.returned(clientId, resumed !== null);
    const connection = new DeviceConnection({
      ...entry.connectionOptions(arrival),
      commandPublisher,
      session,
      inbox: this.#options.inbox,
      reading: router.sessions.get(clientId) ?? null,
      commitSession: (changed) => this.#commitSession(changed),
      left: (gone, goodbye) => this.#deviceLeft(gone, goodbye),
    });
    // A will that aedes kept from a former session does not count any more.
    persistence.dropWill(clientId);
    owners.add(connection, false);
    commandPublisher.session = session;
    commandPublisher.sink = connection;
    this.#sessions.save(clientId, session);
    const responseInformation = packet.wantsResponseInformation ? `${commandPublisher.route.topicRoot}/command` : null;
    // Packets that came behind the CONNECT are answered together with it.
    entry.welcome(arrival, resumed !== null, { assignedClientId: null, responseInformation });
    commandPublisher.sendDue();
    connection.open();
    clientConnection.handTo(connection);
  }

  /** Ends the sessions of machines that did not come back in time. */
  expireSessions(monotonicMs: number): void {
    for (const [machineId, { session }] of this.#commandPublishers) {
      if (session === null || session.awaySinceMs === null) continue;
      if (monotonicMs - session.awaySinceMs > session.expiryMs) this.#endSession(machineId);
    }
  }

  closing(): void {
    this.#closing = true;
    this.#sessions.flush();
  }

  #endSession(machineId: string): void {
    const commandPublisher = this.#commandPublishers.get(machineId);
    if (commandPublisher !== undefined) commandPublisher.session = null;
    this.#sessions.forget(machineId);
    this.#options.forgetReading(machineId);
    this.#options.wills.sessionEnded(machineId);
  }

  /** A clean session ends with its connection, so its SUBACK waits for no disk. */
  #commitSession({ clientId, session }: DeviceConnection): Promise<void> | null {
    if (session.expiryMs > 0) return this.#sessions.commit(clientId, session);
    this.#sessions.save(clientId, session);
    return null;
  }

  #deviceLeft(connection: DeviceConnection, goodbye: DisconnectPacket | null): void {
    const { clientId, commandPublisher, session } = connection;
    if (commandPublisher.sink === connection) commandPublisher.sink = null;
    this.#options.owners.remove(connection);
    if (this.#closing) return;
    const { will } = session;
    session.will = null;
    session.expiryMs = goodbye?.sessionExpiryMs ?? session.expiryMs;
    session.awaySinceMs = this.#options.clock.now().monotonicMs;
    const isOver = session.expiryMs === 0;
    if (isOver && commandPublisher.session === session) commandPublisher.session = null;
    if (this.#commandPublishers.get(clientId) === commandPublisher) {
      if (isOver) this.#forgetClean(clientId);
      else this.#sessions.save(clientId, session);
    }
    if (will !== null && (goodbye === null || goodbye.withWill))
      this.#options.wills.vanished(clientId, will, session.expiryMs);
  }

  #forgetClean(clientId: string): void {
    this.#sessions.forget(clientId);
    this.#options.persistence.incoming.forget(clientId);
  }
}
