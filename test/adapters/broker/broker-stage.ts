import { afterEach } from 'vitest';
import { type BrokerUnderTest, startBroker } from './broker-under-test.ts';
import { RawClient } from './raw-client.ts';

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
