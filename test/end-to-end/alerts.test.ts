import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEFAULT_RULES } from '../../src/domain/alert/alert-rule.ts';
import type { ChannelStateView } from '../../src/flows/alert/alert-views.ts';
import { RawClient } from '../adapters/broker/raw-client.ts';
import { PLANT, Program, statusOf } from './program.ts';

/** The requests of the webhook, and whether they are answered. */
const requests: { readonly messageId: unknown; readonly title: string; readonly response: ServerResponse }[] = [];
let answers = false;
const hook = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const { title } = JSON.parse(text) as { readonly title: string };
  requests.push({ messageId: request.headers['idempotency-key'], title, response });
  if (answers) response.writeHead(204).end();
});

let program: Program;
beforeAll(async () => {
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  program = await Program.start({ plant: PLANT });
});
afterAll(async () => {
  await program.end();
  hook.closeAllConnections();
  hook.close();
});

async function made<T>(path: string, body: object): Promise<T> {
  const answer = await program.api('POST', path, body);
  expect(answer.status).toBe(200);
  return answer.body as T;
}

async function killAndStart(): Promise<void> {
  await program.kill();
  program = await Program.start({ dir: program.dir });
  await program.device('status', statusOf());
}

/** A message waits 15 s for others, and causes are looked for every 5 s. */
const TOLD_WITHIN = { timeout: 40_000, interval: 200 };

it('D-82 D-85 kill -9: an alert goes on, its message is sent again under its id, and nothing is told twice', {
  timeout: 180_000,
}, async () => {
  const webhookUrl = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hook`;
  const secret = { webhookUrl, authorization: 'Bearer kept-secret' };
  const { channelId } = await made<{ channelId: string }>('/alerts/channels', {
    kind: 'webhook',
    name: 'Hook',
    shape: 'json',
    ...secret,
  });
  const topic = { kind: 'topic', name: 'Lamp', topic: 'plantgate/alerts/lamp' };
  const lamp = await made<{ channelId: string }>('/alerts/channels', topic);
  const ways = [channelId, lamp.channelId].map((id) => ({ channelId: id, address: null }));
  const nobody = { role: 'technician', areas: [], shifts: [], quiet: null, language: 'en' };
  await made('/alerts/recipients', { name: 'dana', ...nobody, ways });
  const { ruleId, ...held } = DEFAULT_RULES.find(({ kind }) => kind === 'held') ?? { ruleId: '' };
  await program.api('PUT', `/alerts/rules/${ruleId}`, { ...held, isOn: true, limit: 0, isPlanOnly: false });
  const reader = await RawClient.connected(program.mqttPort, 'lamp', {});
  await reader.subscribe(['plantgate/alerts/#', 0]);
  await program.device('status', statusOf());

  await expect.poll(() => requests.length, TOLD_WITHIN).toBe(1);
  const told = await reader.next('publish');
  expect(told).toMatchObject({ topic: 'plantgate/alerts/lamp' });
  reader.drop();
  const { body: before } = await program.api('GET', '/alerts');
  answers = true;
  await killAndStart();
  await expect.poll(() => requests.length, TOLD_WITHIN).toBe(2);
  expect(requests[1]?.messageId).toBe(requests[0]?.messageId);
  const alertIds = (alerts: readonly { readonly alertId: string }[]) => alerts.map(({ alertId }) => alertId);
  const { body: after } = await program.api('GET', '/alerts');
  expect(alertIds(after)).toEqual(alertIds(before));
  // The channel says so once the answer has come.
  const channels = async () => (await program.api('GET', '/alerts/channels')).body as readonly ChannelStateView[];
  const lastSent = async () => (await channels()).find(({ name }) => name === 'Hook')?.state.lastSentAt ?? '';
  await expect.poll(lastSent, TOLD_WITHIN).not.toBe('');
  await program.untilStored();

  await killAndStart();
  await new Promise((resolve) => setTimeout(resolve, 25_000));
  expect(requests.slice(2).map(({ messageId, title }) => `${messageId} ${title}`)).toEqual([]);
  await program.api('POST', `/alerts/${alertIds(after)[0]}/take`, { note: 'on the way' });
  await expect.poll(() => requests.length, { timeout: 90_000, interval: 500 }).toBe(3);
  expect(requests[2]?.title).toContain('takes it: ');
  // The log, and everything else that the program says, is without the secrets.
  expect(program.log.join('\n')).not.toContain('kept-secret');
  for (const path of ['/alerts/channels', '/diagnostics', '/audit']) {
    expect(JSON.stringify((await program.api('GET', path)).body)).not.toContain('kept-secret');
  }
});
