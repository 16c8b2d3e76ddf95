import { afterEach } from 'vitest';
import { type Broker, type BrokerOptions, createBroker } from '../../../src/adapters/broker/broker.ts';
import type { Decision } from '../../../src/domain/machine/decision.ts';
import { type MachineId, machineId } from '../../../src/domain/machine/machine-names.ts';
import type {
  DeviceInbox,
  MessageReport,
  TakenPresence,
  TakenVariables,
} from '../../../src/flows/device/device-ports.ts';
import type { Incident } from '../../../src/flows/ports.ts';
import type { BrokerRow, StoreRecord } from '../../../src/flows/store-ports.ts';
import { RawClient } from './raw-client.ts';

export const MAY_RUN: Decision = { runEnabled: true, attentionNeeded: false, message: null };

export function knownMachine(text: string): MachineId {
  const id = machineId(text);
  if (id === null) throw new Error(`${text} is no machine id`);
  return id;
}

/** A journal that keeps broker rows like the store, so that a broker can be started again from them. */
export class RowJournal {
  readonly rows = new Map<string, BrokerRow>();
  held: Promise<void> = Promise.resolve();
  /** Awaited rows of this table are refused. */
  fails: string | null = null;

  record(records: readonly StoreRecord[]): void {
    for (const record of records) this.#apply(record);
  }

  async write(records: readonly StoreRecord[]): Promise<void> {
    await this.held;
    if (records.some((record) => record.kind === 'brokerPut' && record.row.table === this.fails))
      throw new Error('too many records wait for the disk');
    this.record(records);
  }

  async synced(): Promise<void> {
    await this.held;
  }

  #apply(record: StoreRecord): void {
    if (record.kind === 'brokerPut') this.rows.set(`${record.row.table} ${record.row.key}`, record.row);
    else if (record.kind === 'brokerDelete') this.rows.delete(`${record.table} ${record.key}`);
    else if (record.kind === 'brokerDeletePrefix') {
      for (const key of this.rows.keys()) if (key.startsWith(`${record.table} ${record.prefix}`)) this.rows.delete(key);
    }
  }
}

/** The messages of machines, as the broker handed them in. */
export class RecordingInbox implements DeviceInbox {
  readonly heard: string[] = [];
  readonly unmatchedTopics: string[] = [];
  present: Decision = MAY_RUN;
  stored: Promise<void> = Promise.resolve();
  /** The sentence of diagnostics about each message. */
  report: MessageReport | null = null;

  status(id: MachineId, text: string) {
    this.heard.push(`${id} status ${text}`);
    return text.startsWith('{')
      ? ({ kind: 'command', decision: this.present } as const)
      : ({ kind: 'held', decision: this.present } as const);
  }

  statusField(id: MachineId, fieldName: string, text: string): MessageReport | null {
    this.heard.push(`${id} field ${fieldName}=${text}`);
    return this.report;
  }

  variables(id: MachineId, text: string): TakenVariables {
    this.heard.push(`${id} vars ${text}`);
    return { stored: this.stored, report: this.report };
  }

  variable(id: MachineId, name: string, text: string): TakenVariables {
    this.heard.push(`${id} variable ${name}=${text}`);
    return { stored: this.stored, report: this.report };
  }

  presence(id: MachineId, topic: 'online' | 'lwt', text: string): TakenPresence {
    this.heard.push(`${id} ${topic} ${text}`);
    return { stored: null, report: this.report };
  }

  unmatched(clientId: string, topic: string): MessageReport | null {
    this.unmatchedTopics.push(`${clientId} ${topic}`);
    return this.report;
  }

  cause(): 'noPart' | null {
    return this.present.runEnabled ? null : 'noPart';
  }

  decision(): Decision {
    return this.present;
  }

  namedStatus(): never {
    throw new Error('the broker knows the machine by its topic');
  }

  namedVariables(): never {
    throw new Error('the broker knows the machine by its topic');
  }

  undecoded(): never {
    throw new Error('the broker hands every payload in as text');
  }
}

export interface BrokerUnderTest {
  readonly broker: Broker;
  readonly port: number;
  readonly tlsPort: number | null;
  readonly inbox: RecordingInbox;
  readonly journal: RowJournal;
  readonly incidents: Incident[];
}

/** A real broker on a free port, with machines RF-1 (plant/rf-1) and RF-2 (plant/rf-2). */
export async function startBroker(
  more: Partial<BrokerOptions> = {},
  journal = new RowJournal(),
): Promise<BrokerUnderTest> {
  const inbox = new RecordingInbox();
  const incidents: Incident[] = [];
  const broker = await createBroker({
    host: '127.0.0.1',
    port: 0,
    tls: null,
    maxPacketBytes: 262_144,
    access: 'open',
    legacyCommandTopics: true,
    runId: `run-${Math.random()}`,
    journal,
    restored: [...journal.rows.values()],
    routes: ['1', '2'].map((number) => ({
      machineId: knownMachine(`RF-${number}`),
      topicRoot: `plant/rf-${number}`,
      mqttPasswordHash: `secret-${number}`,
    })),
    accounts: [],
    inbox,
    incidents: { report: (incident) => incidents.push(incident) },
    verifySecret: async (hash, secret) => hash === secret,
    aedesServes: process.env.OWN_HANDLER === undefined,
    clock: { now: () => ({ monotonicMs: performance.now(), wallMs: Date.now() }) },
    ...more,
  });
  const { port, tlsPort } = await broker.listen();
  return { broker, port, tlsPort, inbox, journal, incidents };
}

export const ROOT = 'plant/rf-1';
export const COMMAND_TOPICS = [
  'command',
  'command/run-enabled',
  'command/attention-needed',
  'run-enabled',
  'attention-needed',
].map((suffix) => `${ROOT}/${suffix}`);

/** Brokers and clients of one test file; those that a test leaves open are closed after it. */
export class BrokerStage {
  readonly #running = new Set<BrokerUnderTest>();
  readonly #clients = new Set<RawClient>();

  constructor() {
    afterEach(async () => {
      for (const client of this.#clients) client.drop();
      this.#clients.clear();
      for (const under of this.#running) await this.stop(under);
    });
  }

  async start(...options: Parameters<typeof startBroker>): Promise<BrokerUnderTest> {
    const under = await startBroker(...options);
    this.#running.add(under);
    return under;
  }

  async stop(under: BrokerUnderTest): Promise<void> {
    this.#running.delete(under);
    await under.broker.close();
  }

  /** The same gateway after its process ended: a new broker on the rows that the old one left on disk. */
  async restart(
    under: BrokerUnderTest,
    more: NonNullable<Parameters<typeof startBroker>[0]> = {},
  ): Promise<BrokerUnderTest> {
    await this.stop(under);
    return this.start(more, under.journal);
  }

  /** A socket without any MQTT on it yet. */
  async socket(port: number): Promise<RawClient> {
    const client = await RawClient.open(port);
    this.#clients.add(client);
    return client;
  }

  /** A socket of a client that reads MQTT 5. */
  async socket5(port: number): Promise<RawClient> {
    const client = await RawClient.open(port, 5);
    this.#clients.add(client);
    return client;
  }

  async connected(...options: Parameters<typeof RawClient.connected>): Promise<RawClient> {
    const client = await RawClient.connected(...options);
    this.#clients.add(client);
    return client;
  }

  /** RF-1 as the interface describes it: persistent session, every command topic, QoS 1. */
  async device(under: BrokerUnderTest, more: Parameters<typeof RawClient.connected>[2] = {}): Promise<RawClient> {
    const client = await this.connected(under.port, 'RF-1', { clean: false, ...more });
    await client.subscribe(...COMMAND_TOPICS.map((topic) => [topic, 1] as const));
    return client;
  }
}

/** The next messages on the topics of RF-1, by the rest of their topic. */
export async function commands(client: RawClient, count: number): Promise<Record<string, string>> {
  const got: Record<string, string> = {};
  for (let index = 0; index < count; index++) {
    const message = await client.next('publish');
    got[message.topic.slice(ROOT.length + 1)] = message.payload.toString();
  }
  return got;
}
