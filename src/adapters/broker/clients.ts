import { generate } from 'mqtt-packet';
import type { BrokerRow, Clock, DeviceInbox, DeviceRoute, Incidents } from '../../flows/ports.ts';
import { type Access, CONNACK } from './admission.ts';
import type { AedesCore } from './aedes-core.ts';
import { Bridge } from './bridge.ts';
import { commandMaker, commandPayload } from './command-encoder.ts';
import { DeviceConnection } from './device-connection.ts';
import { takeDeviceMessage } from './device-input.ts';
import { DeviceOutlet, type OutletOptions } from './device-outlet.ts';
import { DeviceSession, type Will } from './device-session.ts';
import { DEVICE_KEY_PREFIX, DeviceSessions } from './device-sessions.ts';
import { PACKET } from './frame.ts';
import type { Inlet } from './inlet.ts';
import { LIMITS } from './limits.ts';
import type { Pace } from './pace.ts';
import type { BrokerPersistence } from './persistence/broker-persistence.ts';
import type { Journal } from './persistence/journal.ts';
import { type Arrival, connack } from './reception.ts';
import type { RoutedMessage, Router } from './router.ts';
import { Takeovers } from './takeovers.ts';
import { COMMAND_SUFFIXES, meaningOf } from './topics.ts';

export interface ClientsOptions {
  readonly aedes: AedesCore;
  readonly persistence: BrokerPersistence;
  readonly router: Router;
  readonly journal: Journal;
  readonly restored: readonly BrokerRow[];
  readonly inbox: DeviceInbox;
  readonly incidents: Incidents;
  readonly clock: Clock;
  readonly legacyTopics: boolean;
  readonly access: Access;
  readonly routes: readonly DeviceRoute[];
  readonly departures: Pace;
}

type Owner = DeviceConnection | Bridge;

/** After a restart, so long is waited for a device to come back before its will is published. */
const LEFTOVER_WILL_MS = 90_000;
/** A client that was heard of so recently is alive: another one with its id is a second device, not a reconnect. */
const RIVAL_MS = 5_000;

/** Everybody who is connected, by client id: machines on their short way, all others with aedes. */
export class Clients {
  readonly #options: ClientsOptions;
  readonly #outlets = new Map<string, DeviceOutlet>();
  readonly #owners = new Map<string, Owner>();
  readonly #names = new WeakMap<Inlet, string>();
  readonly #sessions: DeviceSessions;
  readonly #takeovers: Takeovers;
  readonly #outletOptions: OutletOptions;
  readonly #startedAtMs: number;
  readonly #leftoverWills: Map<string, Will>;
  #closing = false;
  #anonymous = 0;
  #handedCommands = 0;

  constructor(options: ClientsOptions) {
    this.#options = options;
    this.#takeovers = new Takeovers(options.aedes);
    const rows = options.restored.filter((row) => row.table === 'session' && row.key.startsWith(DEVICE_KEY_PREFIX));
    this.#sessions = new DeviceSessions(options.journal, rows);
    this.#leftoverWills = this.#sessions.leftoverWills();
    this.#startedAtMs = options.clock.now().monotonicMs;
    this.#outletOptions = {
      legacyTopics: options.legacyTopics,
      router: options.router,
      command: commandMaker(() => options.clock.now().wallMs),
    };
    options.aedes.on('clientReady', ({ conn }) => conn instanceof Bridge && conn.ready());
    options.aedes.on('clientError', (client, error) => this.#report(client.id, error));
    this.configure(options.routes);
    this.#sessions.forgetUnclaimed();
  }

  get connectedDevices(): number {
    let count = 0;
    for (const owner of this.#owners.values()) if (owner instanceof DeviceConnection) count++;
    return count;
  }

  outlet(machineId: string): DeviceOutlet | undefined {
    return this.#outlets.get(machineId);
  }

  nameOf(inlet: Inlet): string | undefined {
    return this.#names.get(inlet);
  }

  /** A machine whose TopicRoot changed is a new one to the broker: its device has to come in again. */
  configure(routes: readonly DeviceRoute[]): void {
    const wanted = new Map(routes.map((route) => [route.machineId as string, route]));
    for (const [machineId, outlet] of this.#outlets) this.#reconfigure(outlet, wanted.get(machineId));
    for (const route of routes) {
      if (this.#outlets.has(route.machineId)) continue;
      this.#owners.get(route.machineId)?.inlet.destroy();
      const outlet = new DeviceOutlet(route, this.#outletOptions);
      this.#sessions.restore(outlet);
      this.#outlets.set(route.machineId, outlet);
    }
  }

  #reconfigure(outlet: DeviceOutlet, route: DeviceRoute | undefined): void {
    const { machineId, topicRoot, mqttPasswordHash } = outlet.route;
    const stays = route?.topicRoot === topicRoot;
    const mayStay = this.#options.access !== 'password' || route?.mqttPasswordHash === mqttPasswordHash;
    if (!stays || !mayStay) this.#owners.get(machineId)?.inlet.destroy();
    if (stays) {
      outlet.route = route;
      return;
    }
    this.#outlets.delete(machineId);
    this.#sessions.forget(machineId);
    this.#options.persistence.forgetSession(machineId);
  }

  arrived(arrival: Arrival): void {
    const { inlet, packet } = arrival;
    const { clientId } = packet;
    const previous = this.#owners.get(clientId);
    if (previous !== undefined) {
      this.#reportRival(previous, arrival);
      previous.replaced();
    }
    this.#takeovers.onceFree(clientId, inlet, () => this.#open(arrival));
  }

  #open(arrival: Arrival): void {
    const { inlet, packet, admission } = arrival;
    const own = this.#outlets.get(packet.clientId);
    const admittedBy = admission.kind === 'machine' ? admission.route.mqttPasswordHash : undefined;
    // Where the plant has changed since it was admitted it has to ask again.
    if (own?.route.mqttPasswordHash !== admittedBy) inlet.destroy();
    else if (own === undefined || this.#isWithAedes(arrival)) this.#openBridge(arrival);
    else this.#openDevice(arrival, own);
  }

  /** Cuts off whose keepalive has run out, which a switch that fails brings about for all machines at once. */
  sweep(monotonicMs: number): void {
    for (const owner of this.#owners.values()) {
      if (!(owner instanceof DeviceConnection) || owner.keepaliveMs === 0) continue;
      const { inlet, keepaliveMs } = owner;
      if (monotonicMs - inlet.lastReceivedMs > keepaliveMs) this.#options.departures.run(inlet, () => inlet.destroy());
    }
    if (this.#leftoverWills.size > 0 && monotonicMs - this.#startedAtMs > LEFTOVER_WILL_MS)
      this.#publishLeftoverWills();
  }

  expireSessions(): void {
    const { persistence } = this.#options;
    for (const clientId of persistence.subscriptions.expired()) {
      if (!this.#owners.has(clientId)) persistence.forgetSession(clientId);
    }
  }

  /** Wills stay on disk: whoever does not come back after a restart is told of then. */
  closing(): void {
    this.#closing = true;
    this.#sessions.flush();
    for (const client of Object.values(this.#options.aedes.clients)) Object.assign(client, { will: null });
  }

  /** A machine that once asked aedes for more keeps its session there until it asks for a clean one. */
  #isWithAedes({ packet }: Arrival): boolean {
    const { persistence } = this.#options;
    if (!persistence.subscriptions.has(packet.clientId)) return false;
    if (packet.clean !== true) return true;
    persistence.forgetSession(packet.clientId);
    return false;
  }

  #openDevice({ inlet, packet, frame }: Arrival, outlet: DeviceOutlet): void {
    const clean = packet.clean === true;
    const resumed = !clean && outlet.session?.clean === false ? outlet.session : null;
    const session = resumed ?? new DeviceSession(clean);
    session.will = willOf(packet);
    if (!packet.keepalive) inlet.socket.setKeepAlive(true, LIMITS.tcpKeepaliveMs);
    const connection = new DeviceConnection({
      inlet,
      outlet,
      session,
      keepaliveMs: (packet.keepalive ?? 0) * 1_500,
      inbox: this.#options.inbox,
      incidents: this.#options.incidents,
      router: this.#options.router,
      retain: (message) => this.#options.persistence.retained.store({ cmd: 'publish', ...message }, packet.clientId),
      handOver: (handed, next, bodyAt) => this.#handOver(handed, frame).frame(next, bodyAt),
      sessionChanged: (changed) => this.#sessions.save(changed.clientId, changed.session),
      left: (gone, byItself) => this.#deviceLeft(gone, byItself),
    });
    // What is left of a former session with aedes is void.
    this.#options.persistence.dropWill(packet.clientId);
    this.#own(packet.clientId, inlet, connection);
    outlet.session = session;
    outlet.sink = connection;
    this.#sessions.save(packet.clientId, session);
    // What came behind the CONNECT is answered together with it.
    inlet.socket.cork();
    inlet.write(connack(CONNACK.accepted, resumed !== null));
    this.#catchUp(outlet, session);
    inlet.handTo(connection);
  }

  #catchUp(outlet: DeviceOutlet, session: DeviceSession): void {
    outlet.resend();
    if (!session.missedUnknown) return;
    session.missedUnknown = false;
    const decision = this.#options.inbox.decision(outlet.route.machineId);
    if (decision !== null) outlet.send(decision, 'all');
  }

  #deviceLeft(connection: DeviceConnection, byItself: boolean): void {
    const { clientId, outlet, session } = connection;
    if (outlet.sink === connection) outlet.sink = null;
    if (this.#owners.get(clientId) === connection) this.#owners.delete(clientId);
    if (this.#closing) return;
    const { will } = session;
    session.will = null;
    if (session.clean && outlet.session === session) outlet.session = null;
    if (this.#outlets.get(clientId) === outlet) {
      if (session.clean) this.#sessions.forget(clientId);
      else this.#sessions.save(clientId, session);
    }
    if (will !== null && !byItself) this.#publishWill(outlet, clientId, will);
  }

  #publishWill(outlet: DeviceOutlet, clientId: string, will: Will): void {
    const { inbox, incidents, router } = this.#options;
    const { topicRoot } = outlet.route;
    if (!will.topic.startsWith(`${topicRoot}/`)) {
      incidents.report({
        kind: 'forbiddenPublish',
        subject: clientId,
        detail: `will on ${will.topic}, which is not its own`,
      });
      return;
    }
    const meaning = meaningOf(will.topic.slice(topicRoot.length + 1));
    const message = {
      meaning,
      text: will.payload.toString('utf8'),
      clientId,
      qos: 0,
      packetId: 0,
      duplicate: false,
    } as const;
    const outcome = takeDeviceMessage(inbox, outlet, message);
    if (meaning.kind === 'command') {
      incidents.report({ kind: 'forbiddenPublish', subject: clientId, detail: `will on ${will.topic}` });
      return;
    }
    if (outcome.kind === 'answer') outlet.send(outcome.decision, 'all');
    if (outcome.kind === 'storing') outcome.stored.catch((error: unknown) => this.#report(clientId, error));
    const routed: RoutedMessage = { topic: will.topic, payload: will.payload, qos: will.qos, retain: will.retain };
    router.publish(routed);
  }

  #publishLeftoverWills(): void {
    for (const [machineId, will] of this.#leftoverWills) {
      const outlet = this.#outlets.get(machineId);
      if (outlet === undefined) continue;
      this.#publishWill(outlet, machineId, will);
      if (outlet.session === null) this.#sessions.forget(machineId);
      else this.#sessions.save(machineId, outlet.session);
    }
    this.#leftoverWills.clear();
  }

  #openBridge({ inlet, packet, frame }: Arrival): void {
    const { subscriptions } = this.#options.persistence;
    const persistent = packet.clean !== true;
    if (persistent && !subscriptions.has(packet.clientId) && subscriptions.sessions >= LIMITS.sessions) {
      this.#options.incidents.report({
        kind: 'limitReached',
        subject: packet.clientId,
        detail: `${LIMITS.sessions} sessions are kept already`,
      });
      inlet.end(connack(CONNACK.serverUnavailable, false));
      return;
    }
    const sessionPresent = persistent && subscriptions.open(packet.clientId);
    this.#bridge(inlet, packet.clientId, persistent, [frame], [], sessionPresent);
  }

  /** From here on aedes serves this machine: it is brought to where the client is, unseen by the client. */
  #handOver(connection: DeviceConnection, connect: Buffer): Bridge {
    const { inlet, clientId, outlet, session } = connection;
    const { persistence } = this.#options;
    outlet.session = null;
    outlet.sink = null;
    this.#sessions.forget(clientId);
    const filters = session.filters.map(([topic, qos]) => ({ topic, qos: qos as 0 | 1 | 2 }));
    const replay = [connect];
    const hidden: number[] = [PACKET.connack];
    if (!session.clean) {
      persistence.subscriptions.open(clientId);
      persistence.subscriptions.add(clientId, filters);
      this.#queueResends(outlet, session);
    } else if (filters.length > 0) {
      replay.push(generate({ cmd: 'subscribe', messageId: REPLAY_PACKET_ID, subscriptions: filters }));
      hidden.push(PACKET.suback);
    }
    return this.#bridge(inlet, clientId, !session.clean, replay, hidden, false);
  }

  /** What the device did not acknowledge yet waits with aedes from now on. */
  #queueResends({ route }: DeviceOutlet, session: DeviceSession): void {
    const { aedes, persistence } = this.#options;
    for (const { topic, command, qos, packetId, duplicate: dup } of session.resends()) {
      const payload = commandPayload(topic, command);
      const message = { cmd: 'publish', topic: `${route.topicRoot}/${COMMAND_SUFFIXES[topic]}`, payload, qos } as const;
      const queued = { ...message, dup, brokerId: `${aedes.id}-handed`, brokerCounter: ++this.#handedCommands };
      persistence.queues.enqueue(route.machineId, queued);
      persistence.queues.update(route.machineId, { ...queued, messageId: packetId });
    }
  }

  #bridge(
    inlet: Inlet,
    clientId: string,
    persistent: boolean,
    replay: Buffer[],
    hidden: number[],
    sessionPresent: boolean,
  ): Bridge {
    const { aedes, persistence, incidents } = this.#options;
    const name = clientId === '' ? `anonymous-${++this.#anonymous}` : clientId;
    const bridge = new Bridge({
      inlet,
      clientId: name,
      replay,
      hidden,
      sessionPresent,
      onFault: (fault) => incidents.report({ ...fault, subject: name }),
      onClosed: (closed) => {
        if (this.#owners.get(name) !== closed) return;
        this.#owners.delete(name);
        persistence.queues.interrupted(name);
        if (persistent) persistence.subscriptions.left(name);
      },
    });
    inlet.socket.setKeepAlive(true, LIMITS.tcpKeepaliveMs);
    if (clientId === '') this.#names.set(inlet, name);
    else this.#own(name, inlet, bridge);
    aedes.handle(bridge);
    inlet.handTo(bridge);
    return bridge;
  }

  #own(clientId: string, inlet: Inlet, owner: Owner): void {
    this.#owners.set(clientId, owner);
    this.#leftoverWills.delete(clientId);
    this.#names.set(inlet, clientId);
  }

  #reportRival(previous: Owner, { inlet, packet }: Arrival): void {
    const heardMs = this.#options.clock.now().monotonicMs - previous.inlet.lastReceivedMs;
    if (previous.inlet.isFinished || previous.inlet.socket.destroyed || heardMs > RIVAL_MS) return;
    const detail = `two clients use this id: ${previous.inlet.address} was cut off, ${inlet.address} came in`;
    this.#options.incidents.report({ kind: 'duplicateClientId', subject: packet.clientId, detail });
  }

  #report(subject: string, error: unknown): void {
    const detail = error instanceof Error ? error.message : String(error);
    this.#options.incidents.report({ kind: 'protocolViolation', subject, detail });
  }
}

const REPLAY_PACKET_ID = 65_535;

function willOf({ will }: Arrival['packet']): Will | null {
  if (will === undefined) return null;
  return { topic: will.topic, payload: Buffer.from(will.payload), qos: will.qos ?? 0, retain: will.retain ?? false };
}
