import { afterEach } from 'vitest';
import type { Decision } from '../../../src/domain/machine/decision.ts';
import { type BrokerUnderTest, knownMachine, startBroker } from './broker-under-test.ts';
import { RawClient } from './raw-client.ts';

/** A broker and the clients of one test, gone when it ends. */

export const POWER_OFF: Decision = { runEnabled: false, attentionNeeded: true, message: 'Machine power is off' };
export const NO_PART: Decision = { runEnabled: false, attentionNeeded: false, message: 'Part not selected' };
export const RF_1 = knownMachine('RF-1');
export const ROOT = 'plant/rf-1';
export const COMMAND_TOPICS = [
  'command',
  'command/run-enabled',
  'command/attention-needed',
  'run-enabled',
  'attention-needed',
].map((suffix) => `${ROOT}/${suffix}`);

export const running: BrokerUnderTest[] = [];
export const open: RawClient[] = [];

export async function start(...options: Parameters<typeof startBroker>): Promise<BrokerUnderTest> {
  const under = await startBroker(...options);
  running.push(under);
  return under;
}

export async function connected(...options: Parameters<typeof RawClient.connected>): Promise<RawClient> {
  const client = await RawClient.connected(...options);
  open.push(client);
  return client;
}

/** A device as the interface describes it: persistent session, every command topic, QoS 1. */
export async function device(
  under: BrokerUnderTest,
  more: Parameters<typeof RawClient.connected>[2] = {},
): Promise<RawClient> {
  const client = await connected(under.port, 'RF-1', { clean: false, ...more });
  await client.subscribe(...COMMAND_TOPICS.map((topic) => [topic, 1] as const));
  return client;
}

export async function commands(client: RawClient, count: number): Promise<Record<string, string>> {
  const got: Record<string, string> = {};
  for (let index = 0; index < count; index++) {
    const message = await client.next('publish');
    got[message.topic.slice(ROOT.length + 1)] = message.payload.toString();
  }
  return got;
}

/** Closes the brokers and clients of each test. A file of tests calls it once. */
export function endWithTest(): void {
  afterEach(async () => {
    for (const client of open.splice(0)) client.drop();
    for (const under of running.splice(0)) await under.broker.close();
  });
}
