import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket, type TlsOptions, type Server as TlsServer } from 'node:tls';
import { CodedError } from '../../domain/error.ts';
import { cannotListen, errorStack } from '../../domain/error-text.ts';
import type { MqttAccount } from '../../domain/plant/plant.ts';
import { DISTRUST, tlsFaultText } from '../../domain/tls-fault.ts';
import type { DeviceInbox, DeviceRoute, RetainedPresence, SendCommand } from '../../flows/device/device-ports.ts';
import type { ConnectedClient } from '../../flows/local-api/local-api-ports.ts';
import type { Clock, Incidents, SecretVerifier } from '../../flows/ports.ts';
import type { BrokerRow } from '../../flows/store-ports.ts';
import { OpenConnections } from '../../runtime/network/open-connections.ts';
import { tlsFailure, tlsPeerAddress } from '../../runtime/network/tls-peer.ts';
import { readIntoSharedBuffer } from '../../runtime/tune-engine.ts';
import { AedesCore } from './aedes/aedes-core.ts';
import { AedesHooks } from './aedes/aedes-hooks.ts';
import { Clients } from './clients.ts';
import { AccountTable } from './connect/accounts.ts';
import { type Access, Admissions, type TlsIdentity } from './connect/admission.ts';
import { ClientConnection, describeFault } from './connect/client-connection.ts';
import { ConnectHandler } from './connect/connect-handler.ts';
import { DEVICE_KEY_PREFIX } from './device/device-sessions.ts';
import { Publications } from './general/publications.ts';
import { LIMITS } from './limits.ts';
import { HeldBytes } from './mqtt/held-bytes.ts';
import { BrokerPersistence } from './persistence/broker-persistence.ts';
import { GatheredCommits } from './persistence/gathered-commits.ts';
import { type Journal, soundRows } from './persistence/journal.ts';
import { Lifetimes } from './persistence/lifetimes.ts';
import { bytesOf } from './readers/payload.ts';
import { Router } from './readers/router.ts';
import { TimeSlicer } from './time-slicer.ts';
import { TopicTable } from './topics.ts';

export interface BrokerOptions {
  readonly host: string;
  readonly port: number;
  /** `pace` gets the server before any listener for its connections is added. */
  readonly tls:
    | (TlsOptions & {
        readonly port: number;
        readonly identity: TlsIdentity;
        readonly pace: (server: TlsServer) => void;
      })
    | null;
  readonly maxPacketBytes: number;
  readonly access: Access;
  readonly legacyCommandTopics: boolean;
  /** Whether aedes serves the clients of MQTT 3.1 and 3.1.1 that are no machines; else the gateway's own handler does. */
  readonly aedesServes?: boolean;
  readonly runId: string;
  readonly journal: Journal;
  readonly restored: readonly BrokerRow[];
  readonly routes: readonly DeviceRoute[];
  readonly accounts: readonly MqttAccount[];
  readonly inbox: DeviceInbox;
  readonly incidents: Incidents;
  readonly verifySecret: SecretVerifier;
  readonly clock: Clock;
}

export interface BrokerPorts {
  readonly port: number;
  readonly tlsPort: number | null;
}

export interface BrokerCounters {
  readonly listening: boolean;
  /** The bound ports; null before they are bound. */
  readonly ports: BrokerPorts | null;
  readonly connections: number;
  /** The connected machines, which aedes does not serve, and the clients that aedes serves. */
  readonly devices: number;
  readonly clients: number;
  readonly retainedMessages: number;
  readonly sessions: number;
}

export interface Broker {
  readonly send: SendCommand;
  /** Publishes a message of the gateway itself; false if the topic belongs to a machine. */
  readonly publish: (topic: string, payload: Buffer) => boolean;
  /** Binds the ports and gives them. Rejects with a coded error if one is taken. */
  listen(): Promise<BrokerPorts>;
  /** The plant has changed: removed machines and changed accounts are cut off, new ones may come in. */
  configure(routes: readonly DeviceRoute[], accounts: readonly MqttAccount[]): void;
  /** The wall clock was corrected (D-71). */
  correctClock(): void;
  /** The retained `online` or `lwt` below a TopicRoot; null without one. */
  readonly retainedPresence: (topicRoot: string, topic: 'online' | 'lwt') => RetainedPresence | null;
  counters(): BrokerCounters;
  /** The clients are listed one by one, because there may be thousands. */
  clients(): Iterable<ConnectedClient>;
  close(): Promise<void>;
}

const SWEEP_INTERVAL_MS = 1_000;

/**
 * The MQTT side of the gateway (interface.md, MQTT): aedes serves clients in general, and a shorter path serves the
 * machines' own traffic.
 */
export async function createBroker(options: BrokerOptions): Promise<Broker> {
  const broker = new MqttBroker(options);
  await broker.start();
  return broker;
}

class MqttBroker implements Broker {
  readonly #options: BrokerOptions;
  readonly #persistence: BrokerPersistence;
  readonly #router: Router;
  readonly #clients: Clients;
  #ports: BrokerPorts | null = null;
  readonly #admissions: Admissions;
  readonly #servers: Server[] = [];
  /** Connections that have not sent their first packet yet, the oldest first. */
  readonly #waiting = new Set<ClientConnection>();
  readonly #held = new HeldBytes(LIMITS.partialPacketBytes, LIMITS.partialPacketAllowance);
  readonly #arrivals = new TimeSlicer(LIMITS.acceptSliceMs, () => performance.now());
  readonly #departures = new TimeSlicer(LIMITS.disconnectSliceMs, () => performance.now());
  readonly #connections: OpenConnections;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #aedes: AedesCore;
  #topics: TopicTable;
  #accounts: AccountTable;

  constructor(options: BrokerOptions) {
    this.#options = options;
    const { incidents, inbox, journal } = options;
    const restored = soundRows(options.restored, journal, ({ table, key }, reason) =>
      incidents.report({
        kind: 'store',
        subject: `${table} ${key}`,
        detail: `left out because it is damaged: ${reason}`,
      }),
    );
    this.#topics = new TopicTable(options.routes);
    this.#accounts = new AccountTable(options.accounts);
    const topics = () => this.#topics;
    const accounts = () => this.#accounts;
    this.#persistence = new BrokerPersistence({
      journal,
      restored,
      onLimit: (subject, detail) => incidents.report({ kind: 'limitReached', subject, detail }),
    });
    const commits = new GatheredCommits(journal);
    const lifetimes = new Lifetimes(options.clock);
    this.#router = this.#createRouter(restored, commits, lifetimes);
    this.#connections = new OpenConnections(LIMITS, (address, detail) =>
      incidents.report({ kind: 'limitReached', subject: address, detail }),
    );
    this.#admissions = new Admissions({ ...options, identity: options.tls?.identity ?? 'none', topics, accounts });
    const publications = new Publications({
      inbox,
      incidents,
      router: this.#router,
      topics,
      commandPublisher: (machineId) => this.#clients.commandPublisher(machineId),
    });
    const hooks = new AedesHooks({
      incidents,
      persistence: this.#persistence,
      router: this.#router,
      publications,
      aedes: () => this.#aedes,
    });
    this.#aedes = new AedesCore({
      ...hooks.options(),
      router: this.#router,
      incoming: this.#persistence.incoming,
      incidents,
      id: options.runId,
      persistence: this.#persistence,
      concurrency: 0,
      maxClientsIdLength: LIMITS.clientIdBytes,
      queueLimit: LIMITS.clientPacketsPerTurn,
      drainTimeout: LIMITS.stalledWriteMs,
    });
    this.#clients = new Clients({
      ...options,
      aedesServes: options.aedesServes ?? true,
      legacyTopics: options.legacyCommandTopics,
      aedes: this.#aedes,
      persistence: this.#persistence,
      router: this.#router,
      publications,
      accounts,
      lifetimes,
      commits,
      restored,
      departures: this.#departures,
    });
  }

  #createRouter(restored: readonly BrokerRow[], commits: GatheredCommits, lifetimes: Lifetimes): Router {
    return new Router({
      journal: this.#options.journal,
      lifetimes,
      commits,
      restored: restored.filter((row) => !row.key.startsWith(DEVICE_KEY_PREFIX)),
      clock: this.#options.clock,
      incidents: this.#options.incidents,
      onForgotten: (clientId) => this.#persistence.incoming.forget(clientId),
      kindOf: (topic) => this.#topics.kindOf(topic),
      isServedElsewhere: (clientId) => (topic) => this.#clients.commandPublisher(clientId)?.isCommand(topic) === true,
    });
  }

  async start(): Promise<void> {
    this.#persistence.incoming.forgetUnless((clientId) => this.#hasSession(clientId));
    await this.#aedes.listen();
    this.#timers.push(setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS));
  }

  #hasSession(clientId: string): boolean {
    const ofMachine = this.#clients.commandPublisher(clientId)?.session ?? null;
    return ofMachine !== null || this.#router.sessions.get(clientId) !== undefined;
  }

  async listen(): Promise<BrokerPorts> {
    this.#ports = await this.#bindAll();
    return this.#ports;
  }

  async #bindAll(): Promise<BrokerPorts> {
    const { host, port, tls } = this.#options;
    const plain = createServer({ noDelay: true, highWaterMark: LIMITS.unreadAnswerBytes });
    const accept = (socket: Socket) => this.#connections.admit(socket) && this.#accept(socket);
    plain.on('connection', accept);
    const bound = await this.#bind(plain, 'mqtt.port', host, port);
    readIntoSharedBuffer(plain, LIMITS.unreadAnswerBytes, accept);
    if (tls === null) return { port: bound, tlsPort: null };
    const secure = createTlsServer({
      ...tls,
      noDelay: true,
      highWaterMark: LIMITS.unreadAnswerBytes,
      handshakeTimeout: LIMITS.connectTimeoutMs,
    });
    tls.pace(secure);
    secure.on('connection', this.#connections.admit);
    secure.on('secureConnection', (socket) => this.#accept(socket));
    secure.on('tlsClientError', (error, socket) => {
      const address = tlsPeerAddress(socket) ?? 'unknown';
      this.#options.incidents.report({
        kind: 'accessRefused',
        subject: address,
        detail: tlsFaultText(tlsFailure(error, socket)),
        address,
      });
    });
    return { port: bound, tlsPort: await this.#bind(secure, 'mqtt.tls.port', host, tls.port) };
  }

  readonly send: SendCommand = (machineId, decision, topics, reply) => {
    this.#clients.commandPublisher(machineId)?.send(decision, topics, undefined, reply);
  };

  readonly publish = (topic: string, payload: Buffer): boolean => {
    if (this.#topics.find(topic) !== null) return false;
    this.#router.pass({ topic, payload, qos: 1, retain: false }, 'plantgate');
    return true;
  };

  configure(routes: readonly DeviceRoute[], accounts: readonly MqttAccount[]): void {
    this.#topics = new TopicTable(routes);
    this.#accounts = new AccountTable(accounts);
    this.#router.configure();
    this.#clients.configure(routes);
  }

  correctClock(): void {
    this.#router.correctClock();
  }

  readonly retainedPresence = (topicRoot: string, topic: 'online' | 'lwt'): RetainedPresence | null => {
    const kept = this.#router.retained.get(`${topicRoot}/${topic}`);
    return kept === undefined ? null : { text: bytesOf(kept.payload).toString('utf8'), arrival: kept.arrival };
  };

  clients(): Iterable<ConnectedClient> {
    return this.#clients.connected();
  }

  counters(): BrokerCounters {
    return {
      listening: this.#servers.length > 0 && this.#servers.every((server) => server.listening),
      ports: this.#ports,
      connections: this.#connections.total,
      devices: this.#clients.connectedDevices,
      clients: this.#clients.connectedGeneral,
      retainedMessages: this.#router.retained.size,
      sessions: this.#router.sessions.size,
    };
  }

  /** Publishes no wills, because devices come back after a restart of the gateway (D-03). The wills stay on disk. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#arrivals.close();
    this.#departures.close();
    this.#clients.closing();
    this.#router.scheduler.close();
    const closed = this.#servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
    await new Promise<void>((resolve) => this.#aedes.close(() => resolve()));
    this.#connections.cutAll();
    await Promise.all(closed);
  }

  #bind(server: Server, setting: string, host: string, port: number): Promise<number> {
    this.#servers.push(server);
    return new Promise((resolve, reject) => {
      server.once('error', (error) => reject(new CodedError('conflict', cannotListen(setting, host, port, error))));
      server.listen(port, host, LIMITS.listenBacklog, () => {
        server.removeAllListeners('error');
        server.on('error', (error) =>
          this.#options.incidents.report({ kind: 'limitReached', subject: 'mqtt', detail: error.message }),
        );
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  #accept(socket: Socket): void {
    const { incidents, maxPacketBytes, clock } = this.#options;
    socket.on('error', () => socket.destroy());
    const clientConnection = new ClientConnection(
      socket,
      maxPacketBytes,
      {
        refused: (refused, fault) => {
          const subject = this.#clients.nameOf(refused) ?? refused.address;
          const { code, ...incident } = describeFault(fault, maxPacketBytes);
          incidents.report({ ...incident, subject, address: refused.address });
          refused.cutOff({ code, text: incident.detail });
        },
        failed: (failed, error) => {
          const subject = this.#clients.nameOf(failed) ?? failed.address;
          incidents.report({ kind: 'internal', subject, detail: errorStack(error) });
        },
        finished: (finished) =>
          this.#departures.run(finished, () => {
            finished.leave();
            finished.end();
          }),
        closed: (closed) => {
          if (this.#waiting.delete(closed)) this.#closedAfterHandshake(closed);
          this.#arrivals.drop(closed);
          this.#clients.gone(closed);
          this.#departures.run(closed, () => closed.leave());
        },
      },
      this.#held,
      () => clock.now().monotonicMs,
    );
    this.#waiting.add(clientConnection);
    clientConnection.handTo(
      new ConnectHandler(clientConnection, {
        admissions: this.#admissions,
        incidents,
        pace: this.#arrivals,
        onHeard: (heard) => this.#waiting.delete(heard),
        onArrival: (arrival) => this.#clients.arrived(arrival),
      }),
    );
  }

  /** Some clients look at the certificate only after the handshake, and hang up. */
  #closedAfterHandshake({ socket, address }: ClientConnection): void {
    if (!(socket instanceof TLSSocket)) return;
    const detail = `TLS: the client closed the connection right after the TLS handshake. Perhaps ${DISTRUST}`;
    this.#options.incidents.report({ kind: 'accessRefused', subject: address, detail, address });
  }

  #sweep(): void {
    const { monotonicMs } = this.#options.clock.now();
    for (const clientConnection of this.#waiting) {
      if (monotonicMs - clientConnection.connectedAtMs < LIMITS.connectTimeoutMs) break;
      const { address, socket } = clientConnection;
      // A connection that never sent a byte is a check of the port.
      if (socket.bytesRead > 0) {
        this.#options.incidents.report({
          kind: 'protocolViolation',
          subject: address,
          detail: 'sent no CONNECT in time',
        });
      }
      this.#departures.run(clientConnection, () => clientConnection.destroy());
    }
    this.#clients.sweep(monotonicMs);
  }
}
