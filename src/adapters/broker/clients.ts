import { errorMessage } from '../../domain/error-text.ts';
import type { DeviceInbox, DeviceRoute } from '../../flows/device/device-ports.ts';
import type { ConnectedClient } from '../../flows/local-api/local-api-ports.ts';
import type { Clock, Incidents } from '../../flows/ports.ts';
import type { BrokerRow } from '../../flows/store-ports.ts';
import { AedesAdapter } from './aedes/aedes-adapter.ts';
import type { AedesCore } from './aedes/aedes-core.ts';
import { PacketTurns } from './aedes/packet-turns.ts';
import { type Access, CONNACK } from './connect/admission.ts';
import { ArrivalRate } from './connect/arrival-rate.ts';
import type { ClientConnection } from './connect/client-connection.ts';
import { type Arrival, connack, tellsSession } from './connect/connect-handler.ts';
import { Takeovers } from './connect/takeovers.ts';
import { CommandPublisher, type CommandPublisherOptions } from './device/command-publisher.ts';
import { DeviceConnection } from './device/device-connection.ts';
import { DeviceSession, type Will } from './device/device-session.ts';
import { DEVICE_KEY_PREFIX, DeviceSessions } from './device/device-sessions.ts';
import { LIMITS } from './limits.ts';
import { commandMaker } from './mqtt/command-encoder.ts';
import type { BrokerPersistence } from './persistence/broker-persistence.ts';
import type { GatheredCommits } from './persistence/gathered-commits.ts';
import type { Journal } from './persistence/journal.ts';
import type { Router } from './readers/router.ts';
import type { TimeSlicer } from './time-slicer.ts';
import { Wills, willOf } from './wills.ts';

export interface ClientsOptions {
  readonly aedes: AedesCore;
  readonly persistence: BrokerPersistence;
  readonly router: Router;
  readonly journal: Journal;
  readonly commits: GatheredCommits;
  readonly restored: readonly BrokerRow[];
  readonly inbox: DeviceInbox;
  readonly incidents: Incidents;
  readonly clock: Clock;
  readonly legacyTopics: boolean;
  readonly access: Access;
  readonly routes: readonly DeviceRoute[];
  readonly departures: TimeSlicer;
}

type Owner = DeviceConnection | AedesAdapter;

/** After a restart, a device has this long to come back before its will is published. */
const LEFTOVER_WILL_MS = 90_000;
/** A client that was heard within this time is alive: another one with its id is a second device, not a reconnect. */
const RIVAL_MS = 5_000;
/** A client is cut off after one and a half keepalives of silence (MQTT-3.1.2-24). */
const KEEPALIVE_GRACE = 1.5;

/** Every connected client by client id: machines, and the clients that aedes serves. */
export class Clients {
  readonly #options: ClientsOptions;
  readonly #commandPublishers = new Map<string, CommandPublisher>();
  readonly #owners = new Map<string, Owner>();
  /** Clients without an id: no other client can take their place. */
  readonly #anonymous = new Set<AedesAdapter>();
  readonly #names = new WeakMap<ClientConnection, string>();
  readonly #sessions: DeviceSessions;
  readonly #takeovers: Takeovers;
  readonly #wills: Wills;
  readonly #arrivals = new ArrivalRate();
  readonly #turns = new PacketTurns(() => performance.now());
  readonly #publisherOptions: CommandPublisherOptions;
  readonly #startedAtMs: number;
  readonly #leftoverWills: Map<string, Will>;
  #closing = false;
  #anonymousCount = 0;

  constructor(options: ClientsOptions) {
    this.#options = options;
    this.#takeovers = new Takeovers(options.aedes);
    this.#wills = new Wills(options);
    const rows = options.restored.filter((row) => row.table === 'session' && row.key.startsWith(DEVICE_KEY_PREFIX));
    this.#sessions = new DeviceSessions(options.journal, options.commits, rows);
    this.#leftoverWills = this.#sessions.leftoverWills();
    this.#startedAtMs = options.clock.now().monotonicMs;
    this.#publisherOptions = {
      legacyTopics: options.legacyTopics,
      router: options.router,
      command: commandMaker(() => options.clock.now().wallMs),
    };
    options.aedes.on('clientReady', ({ conn }) => conn instanceof AedesAdapter && conn.ready());
    options.aedes.on('clientError', (client, error) => this.#report(client.id, error));
    this.configure(options.routes);
    this.#sessions.forgetUnclaimed();
  }

  get connectedDevices(): number {
    let count = 0;
    for (const owner of this.#owners.values()) if (owner instanceof DeviceConnection) count++;
    return count;
  }

  *connected(): Generator<ConnectedClient> {
    const { monotonicMs } = this.#options.clock.now();
    for (const owner of this.#everybody()) {
      const { clientId, clientConnection, silenceLimitMs, backlogBytes } = owner;
      yield {
        clientId,
        address: clientConnection.address,
        connectedMs: monotonicMs - clientConnection.connectedAtMs,
        keepaliveMs: silenceLimitMs / KEEPALIVE_GRACE,
        isMachine: owner instanceof DeviceConnection,
        subscriptions: owner.subscriptions.map(([filter, qos]) => ({ filter, qos })),
        bytesBehind: backlogBytes,
      };
    }
  }

  commandPublisher(machineId: string): CommandPublisher | undefined {
    return this.#commandPublishers.get(machineId);
  }

  nameOf(clientConnection: ClientConnection): string | undefined {
    return this.#names.get(clientConnection);
  }

  /** A machine whose TopicRoot changed is a new one to the broker: its device has to come in again. */
  configure(routes: readonly DeviceRoute[]): void {
    const wanted = new Map(routes.map((route) => [route.machineId as string, route]));
    for (const [machineId, commandPublisher] of this.#commandPublishers)
      this.#reconfigure(commandPublisher, wanted.get(machineId));
    for (const route of routes) {
      if (this.#commandPublishers.has(route.machineId)) continue;
      this.#owners.get(route.machineId)?.clientConnection.destroy();
      const commandPublisher = new CommandPublisher(route, this.#publisherOptions);
      this.#sessions.restore(commandPublisher);
      this.#commandPublishers.set(route.machineId, commandPublisher);
    }
  }

  #reconfigure(commandPublisher: CommandPublisher, route: DeviceRoute | undefined): void {
    const { machineId, topicRoot, mqttPasswordHash } = commandPublisher.route;
    const stays = route?.topicRoot === topicRoot;
    const mayStay = this.#options.access !== 'password' || route?.mqttPasswordHash === mqttPasswordHash;
    if (!stays || !mayStay) this.#owners.get(machineId)?.clientConnection.destroy();
    if (stays) {
      commandPublisher.route = route;
      return;
    }
    this.#commandPublishers.delete(machineId);
    this.#sessions.forget(machineId);
    this.#forgetReading(machineId);
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
      previous.replaced();
    }
    this.#takeovers.onceFree(clientId, clientConnection, () => this.#open(arrival));
  }

  #open(arrival: Arrival): void {
    const { clientConnection, packet, admission } = arrival;
    if (!this.#wills.hold(arrival)) return;
    const own = this.#commandPublishers.get(packet.clientId);
    const admittedBy = admission.kind === 'machine' ? admission.route.mqttPasswordHash : undefined;
    // If the plant has changed since the client was admitted, it has to ask again.
    if (own?.route.mqttPasswordHash !== admittedBy) {
      clientConnection.destroy();
      return;
    }
    this.#options.persistence.incoming.connected(packet.clientId);
    if (own === undefined) this.#openAedesAdapter(arrival);
    else this.#openDevice(arrival, own);
  }

  /** Cuts off clients whose keepalive has run out. If a network switch fails, these are all machines at once. */
  sweep(monotonicMs: number): void {
    const { router, departures } = this.#options;
    router.sweep();
    const isSilent = ({ clientConnection, silenceLimitMs }: Owner) =>
      silenceLimitMs > 0 && monotonicMs - clientConnection.lastReceivedMs > silenceLimitMs;
    for (const owner of this.#everybody()) {
      if (isSilent(owner)) departures.run(owner.clientConnection, () => owner.clientConnection.destroy());
    }
    this.#cutOffStalled(monotonicMs);
    if (this.#leftoverWills.size > 0 && monotonicMs - this.#startedAtMs > LEFTOVER_WILL_MS)
      this.#publishLeftoverWills();
  }

  /** Ends clients that publish and leave the answers unread. */
  #cutOffStalled(monotonicMs: number): void {
    const stalled = [...this.#everybody()]
      .filter((owner) => owner instanceof AedesAdapter)
      .filter(({ stalledSinceMs }) => stalledSinceMs !== null);
    const isCrowd = stalled.length > LIMITS.stalledClients;
    const timeoutMs = isCrowd ? LIMITS.stalledUnderPressureMs : LIMITS.stalledWriteMs;
    for (const aedesAdapter of stalled) {
      if (monotonicMs - (aedesAdapter.stalledSinceMs ?? monotonicMs) <= timeoutMs) continue;
      const detail = 'was cut off: it does not take the answers to what it publishes';
      this.#options.incidents.report({ kind: 'slowReader', subject: aedesAdapter.clientId, detail });
      aedesAdapter.cutOff();
    }
  }

  *#everybody(): Generator<Owner> {
    yield* this.#owners.values();
    yield* this.#anonymous;
  }

  expireSessions(): void {
    const { router } = this.#options;
    for (const clientId of router.sessions.expired()) {
      if (!this.#owners.has(clientId)) this.#forgetReading(clientId);
    }
  }

  /** Wills stay on disk: they are published for clients that do not come back after a restart. */
  closing(): void {
    this.#closing = true;
    this.#arrivals.close();
    this.#sessions.flush();
    this.#options.commits.flush();
    for (const client of Object.values(this.#options.aedes.clients)) Object.assign(client, { will: null });
  }

  #openDevice({ clientConnection, packet }: Arrival, commandPublisher: CommandPublisher): void {
    const { router, inbox, incidents, persistence } = this.#options;
    const { clientId } = packet;
    const clean = packet.clean === true;
    const resumed = !clean && commandPublisher.session?.clean === false ? commandPublisher.session : null;
    if (resumed === null) this.#forgetReading(clientId);
    const session = resumed ?? new DeviceSession(clean);
    session.will = willOf(packet);
    if (!packet.keepalive) clientConnection.socket.setKeepAlive(true, LIMITS.tcpKeepaliveMs);
    const connection = new DeviceConnection({
      clientConnection,
      commandPublisher,
      session,
      silenceLimitMs: (packet.keepalive ?? 0) * 1_000 * KEEPALIVE_GRACE,
      inbox,
      incidents,
      router,
      incoming: persistence.incoming,
      reading: router.sessions.get(clientId) ?? null,
      commitSession: (changed) => this.#commitSession(changed),
      left: (gone, saidGoodbye) => this.#deviceLeft(gone, saidGoodbye),
    });
    // A will that aedes kept from a former session does not count any more.
    persistence.dropWill(clientId);
    this.#own(clientId, clientConnection, connection);
    commandPublisher.session = session;
    commandPublisher.sink = connection;
    this.#sessions.save(clientId, session);
    // Packets that came behind the CONNECT are answered together with it.
    clientConnection.socket.cork();
    clientConnection.write(connack(CONNACK.accepted, tellsSession(packet, resumed !== null)));
    this.#catchUp(commandPublisher, session);
    connection.open();
    clientConnection.handTo(connection);
  }

  /** A clean session ends with its connection, so its SUBACK waits for no disk. */
  #commitSession({ clientId, session }: DeviceConnection): Promise<void> | null {
    if (!session.clean) return this.#sessions.commit(clientId, session);
    this.#sessions.save(clientId, session);
    return null;
  }

  #forgetReading(clientId: string): void {
    this.#options.router.forgetSession(clientId);
    this.#options.persistence.incoming.forget(clientId);
  }

  /** Sends the present decision or the commands that wait, never both (D-06): after a restart none was sent before. */
  #catchUp(commandPublisher: CommandPublisher, session: DeviceSession): void {
    const decision = session.missedUnknown ? this.#options.inbox.decision(commandPublisher.route.machineId) : null;
    session.missedUnknown = false;
    if (decision === null) commandPublisher.resend();
    else commandPublisher.send(decision, 'all');
  }

  #deviceLeft(connection: DeviceConnection, saidGoodbye: boolean): void {
    const { clientId, commandPublisher, session } = connection;
    if (commandPublisher.sink === connection) commandPublisher.sink = null;
    if (this.#owners.get(clientId) === connection) this.#owners.delete(clientId);
    if (this.#closing) return;
    const { will } = session;
    session.will = null;
    if (session.clean && commandPublisher.session === session) commandPublisher.session = null;
    if (this.#commandPublishers.get(clientId) === commandPublisher) {
      if (session.clean) this.#forgetClean(clientId);
      else this.#sessions.save(clientId, session);
    }
    if (will !== null && !saidGoodbye) this.#wills.publish(commandPublisher, will);
  }

  #forgetClean(clientId: string): void {
    this.#sessions.forget(clientId);
    this.#options.persistence.incoming.forget(clientId);
  }

  #publishLeftoverWills(): void {
    for (const [machineId, will] of this.#leftoverWills) {
      const commandPublisher = this.#commandPublishers.get(machineId);
      if (commandPublisher === undefined) continue;
      this.#wills.publish(commandPublisher, will);
      if (commandPublisher.session === null) this.#sessions.forget(machineId);
      else this.#sessions.save(machineId, commandPublisher.session);
    }
    this.#leftoverWills.clear();
  }

  #openAedesAdapter({ clientConnection, packet, frame }: Arrival): void {
    const { router, aedes, incidents } = this.#options;
    const { clientId } = packet;
    const isPersistent = packet.clean !== true;
    const sessionPresent = isPersistent && router.sessions.get(clientId) !== undefined;
    if (!isPersistent) this.#forgetReading(clientId);
    const session = isPersistent ? router.sessions.open(clientId, router.feed.next) : null;
    if (isPersistent && session === null) {
      incidents.report({ kind: 'limitReached', subject: clientId, detail: 'no room for one more persistent session' });
      clientConnection.end(connack(CONNACK.serverUnavailable, false));
      return;
    }
    const name = clientId === '' ? `anonymous-${++this.#anonymousCount}` : clientId;
    const aedesAdapter = new AedesAdapter({
      clientConnection,
      clientId: name,
      connect: frame,
      silenceLimitMs: (packet.keepalive ?? 0) * 1_000 * KEEPALIVE_GRACE,
      session,
      sessionPresent: tellsSession(packet, sessionPresent),
      router,
      turns: this.#turns,
      incidents,
      nowMs: () => this.#options.clock.now().monotonicMs,
      onClosed: (closed) => {
        if (this.#owners.get(name) === closed) this.#owners.delete(name);
        this.#anonymous.delete(closed);
      },
    });
    if (!packet.keepalive) clientConnection.socket.setKeepAlive(true, LIMITS.tcpKeepaliveMs);
    if (clientId === '') this.#ownAnonymous(name, clientConnection, aedesAdapter);
    else this.#own(name, clientConnection, aedesAdapter);
    aedes.handle(aedesAdapter);
    clientConnection.handTo(aedesAdapter);
  }

  #ownAnonymous(name: string, clientConnection: ClientConnection, aedesAdapter: AedesAdapter): void {
    this.#names.set(clientConnection, name);
    this.#anonymous.add(aedesAdapter);
  }

  #own(clientId: string, clientConnection: ClientConnection, owner: Owner): void {
    this.#owners.set(clientId, owner);
    this.#leftoverWills.delete(clientId);
    this.#names.set(clientConnection, clientId);
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

  #report(subject: string, error: unknown): void {
    const detail = errorMessage(error);
    this.#options.incidents.report({ kind: 'protocolViolation', subject, detail });
  }
}
