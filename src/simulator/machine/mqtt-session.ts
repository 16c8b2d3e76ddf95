import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import { FAREWELL_TIMEOUT_MS } from './device-link.ts';
import type { SimulatedMachine } from './machine-design.ts';

export interface MqttSessionOptions {
  readonly url: string;
  readonly machine: SimulatedMachine;
  /** Topics below the TopicRoot to subscribe to. */
  readonly subscriptions: readonly string[];
  readonly onMessage: (topic: string, text: string) => void;
  readonly onConnect: (sincePowerUp: 'first' | 'again') => void;
  readonly onTrouble: (text: string) => void;
}

const KEEPALIVE_SECONDS = 60;
const CONNECT_TIMEOUT_MS = 5_000;
const RECONNECT_MS = 1_000;
/** Connects are spread over this time. Otherwise a gateway that comes back would meet all its machines at once. */
const RECONNECT_SPREAD_MS = 1_000;
/** A gateway that acknowledges nothing is sent no more than this. */
const MAX_UNACKNOWLEDGED = 20;

/** A machine's MQTT connection in the form of interface.md (Events): session, will, presence, QoS 1. */
export class MqttSession {
  readonly #options: MqttSessionOptions;
  #client: MqttClient;
  #unacknowledged = 0;

  constructor(options: MqttSessionOptions) {
    this.#options = options;
    this.#client = this.#open();
  }

  get isLinked(): boolean {
    return this.#client.connected;
  }

  /** Publishes below the TopicRoot with QoS 1; gives false if it cannot be sent now. */
  publish(topic: string, text: string, retain = false): boolean {
    const client = this.#client;
    if (!client.connected || this.#unacknowledged >= MAX_UNACKNOWLEDGED) return false;
    this.#unacknowledged++;
    client.publish(this.#topic(topic), text, { qos: 1, retain }, (error) => {
      if (client !== this.#client) return;
      this.#unacknowledged--;
      if (error) this.#options.onTrouble(`${topic} was not sent: ${error.message}`);
    });
    return true;
  }

  reboot(): void {
    this.#client.stream?.destroy();
    this.#client.end(true);
    this.#client = this.#open();
  }

  async close(): Promise<void> {
    const client = this.#client;
    if (client.connected) await inTime(this.#farewell(client));
    await new Promise<void>((resolve) => client.end(true, () => resolve()));
  }

  /** Announces the end and disconnects properly, because the will must not be published. */
  async #farewell(client: MqttClient): Promise<void> {
    await client.publishAsync(this.#topic('online'), 'false', { qos: 1, retain: true });
    await client.endAsync();
  }

  #open(): MqttClient {
    const { url, machine, subscriptions } = this.#options;
    this.#unacknowledged = 0;
    const client = connect({
      ...addressIn(url),
      clientId: machine.machineId,
      clean: false,
      keepalive: KEEPALIVE_SECONDS,
      protocolVersion: 4,
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectPeriod: RECONNECT_MS + (machine.seed % RECONNECT_SPREAD_MS),
      reconnectOnConnackError: true,
      will: { topic: this.#topic('lwt'), payload: Buffer.from('false'), qos: 1, retain: true },
    });
    let connects = 0;
    client.on('connect', () => {
      client.subscribe(
        subscriptions.map((topic) => this.#topic(topic)),
        { qos: 1 },
        (error) => {
          if (error) this.#options.onTrouble(`could not subscribe: ${error.message}`);
        },
      );
      this.publish('online', 'true', true);
      this.#options.onConnect(connects++ === 0 ? 'first' : 'again');
    });
    client.on('message', (topic, payload) =>
      this.#options.onMessage(topic.slice(machine.topicRoot.length + 1), payload.toString('utf8')),
    );
    client.on('error', (error) => this.#options.onTrouble(reason(error)));
    return client;
  }

  #topic(topic: string): string {
    return `${this.#options.machine.topicRoot}/${topic}`;
  }
}

/** A refused connection to several addresses of a host has no message of its own. */
function reason(error: Error): string {
  if (error.message !== '') return error.message;
  return 'code' in error ? String(error.code) : error.name;
}

function inTime(farewell: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, FAREWELL_TIMEOUT_MS);
    // A connection that breaks meanwhile needs no farewell.
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    farewell.then(done, done);
  });
}

/** As options, because the library parses addresses by a function that Node warns of. */
function addressIn(url: string): Pick<IClientOptions, 'protocol' | 'host' | 'port' | 'username' | 'password'> {
  const { protocol, hostname, port, username, password } = new URL(url);
  return {
    protocol: protocol === 'mqtts:' ? 'mqtts' : 'mqtt',
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    ...(port !== '' && { port: Number(port) }),
    ...(username !== '' && { username: decodeURIComponent(username), password: decodeURIComponent(password) }),
  };
}
