import { afterAll, beforeAll, expect, it } from 'vitest';
import { LegacyAgentServer } from '../fakes/legacy-agent-server.ts';
import { Program } from './program.ts';
import { keyOf, warehousePlant } from './warehouse-plant.ts';

const COIL_IDS = ['C-1', 'C-2'];
const agent = new LegacyAgentServer(Object.fromEntries(COIL_IDS.map((coilId) => [coilId, 'WH-A1'])));
let program: Program;

beforeAll(async () => {
  await agent.start();
  const plant = warehousePlant([{ taskId: 'T-1', taskState: 'Ready' }], COIL_IDS);
  const settings = `legacyAgent: { kind: http, url: "${agent.url}", timeoutSeconds: 0.5 }\n`;
  program = await Program.start({ plant, settings, atHand: true });
});

afterAll(async () => {
  await program.end();
  await agent.stop();
});

async function killAndRestart(): Promise<void> {
  await program.kill();
  program = await Program.start({ dir: program.dir, atHand: true });
}

/** Gives null if the connection ended without an answer. */
async function post(place: string, body: object, key: string): Promise<number | null> {
  const headers = {
    authorization: `ApiKey ${keyOf(0)}`,
    'content-type': 'application/json',
    'idempotency-key': key,
  };
  const url = `http://127.0.0.1:${program.httpPort}/api/v1${place}`;
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }).then(
    ({ status }) => status,
    () => null,
  );
}

const inTransit = () => post('/warehouseTasks/T-1/inTransit', { coilId: 'C-1' }, 'transit');
const cancel = () => post('/warehouseTasks/T-1/cancel', { coilId: 'C-1', location: 'WH-A2' }, 'cancel');
const move = () => post('/coils/C-2/location', { location: 'WH-A2' }, 'move');

async function taskState(): Promise<unknown> {
  const url = `http://127.0.0.1:${program.httpPort}/api/v1/warehouseTasks/T-1`;
  const answer = await fetch(url, { headers: { authorization: `ApiKey ${keyOf(1)}` } });
  return ((await answer.json()) as { readonly taskState: string }).taskState;
}

it('contract.md, Upstream: a done request with an Idempotency-Key is not done again after a kill', async () => {
  await post('/warehouseTasks/T-1/inProcess', {}, 'process');
  expect(await inTransit()).toBe(202);
  await killAndRestart();
  expect(await post('/warehouseTasks/T-1/ready', {}, 'late')).toBe(400);
  expect(await cancel()).toBe(202);
  expect(await post('/warehouseTasks/T-1/inProcess', {}, 'process-again')).toBe(202);
  await killAndRestart();
  expect(await inTransit()).toBe(202);
  expect(await cancel()).toBe(202);
  expect(await taskState()).toBe('InProcess');
});

it('D-16 a request that was under way at a kill is settled, and its copy is not done again', async () => {
  agent.manner = 'doesThenHangs';
  const asked = Promise.withResolvers<void>();
  agent.onWrite = () => asked.resolve();
  const first = move();
  await asked.promise;
  program.process.kill('SIGKILL');
  expect(await first).toBe(null);
  agent.behave();
  const before = agent.asked.length;
  await killAndRestart();
  expect(await move()).toBe(200);
  expect(await post('/coils/C-2/location', { location: 'WH-A3' }, 'another-move')).toBe(200);
  expect(await move()).toBe(200);
  expect(agent.locations.get('C-2')).toBe('WH-A3');
  expect(agent.asked.slice(before).map(({ location }) => location)).toEqual(['WH-A3']);
});
