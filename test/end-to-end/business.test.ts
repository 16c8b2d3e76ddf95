import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { seededRandom } from '../../src/simulator/random.ts';
import { announceSeed } from '../rounds.ts';
import { type Json, Program } from './program.ts';
import { keyOf, warehousePlant } from './warehouse-plant.ts';

const LIVES = 3;
const TOOLINGS = 20;
const TASKS = Array.from({ length: LIVES }, (_, life) => ({ taskId: `T-${life + 1}`, taskState: 'Ready' as const }));
const CATALOGS = [{ catalogId: 1, name: 'Standard', default: true }];

let program: Program;
let calls = 0;

afterEach(() => program.end());

function plantOf(): string {
  return JSON.stringify({ ...JSON.parse(warehousePlant(TASKS)), catalogs: CATALOGS });
}

/** Status 0: the connection ended without an answer. */
async function api(method: string, place: string, body?: object): Promise<{ status: number; text: string }> {
  try {
    const answer = await fetch(`http://127.0.0.1:${program.httpPort}/api/v1${place}`, {
      method,
      headers: { authorization: `ApiKey ${keyOf(calls++)}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  } catch {
    return { status: 0, text: '' };
  }
}

const json = async (place: string): Promise<Json> => JSON.parse((await api('GET', place)).text);
const orderOf = (documentID: string) => ({
  documentID,
  products: Array.from({ length: TOOLINGS }, (_, index) => ({
    toolingDetail: { toolingCode: `${documentID}.${index}` },
  })),
});
const profileOf = (profileName: string, length: number) => ({ profileName, features: [{ type: 'Straight', length }] });

/** The number of rows of each order, by its documentID. */
async function rowsOfOrders(): Promise<ReadonlyMap<string, number>> {
  const rows: { documentIDs: readonly string[] }[] = parse((await api('GET', '/orders/orderSummary')).text);
  const ids = rows.flatMap(({ documentIDs }) => documentIDs);
  return new Map(Object.entries(Object.groupBy(ids, (id) => id)).map(([id, all]) => [id, all?.length ?? 0]));
}

type Answers = readonly { readonly status: number; readonly text: string }[];

/** Checks that each order is whole or missing, and that answered ones are there. */
async function expectOrders(ids: readonly string[], answers: Answers): Promise<void> {
  const rows = await rowsOfOrders();
  for (const [index, { status }] of answers.entries()) {
    const found = rows.get(ids[index] ?? '');
    expect(status === 200 ? [TOOLINGS] : [undefined, TOOLINGS]).toContain(found);
  }
}

async function expectCreated(answers: Answers): Promise<void> {
  const ids = (await json('/profiles?take=1000')).map(({ profileId }: Json) => profileId);
  const answered = answers.filter(({ status }) => status === 200).map(({ text }) => JSON.parse(text).profileId);
  expect(ids).toEqual(expect.arrayContaining(answered));
}

/** Checks that the profile is the result of one edit, and of this run's edit if it was answered. */
async function expectEdited(profileId: string, life: number, isAnswered: boolean): Promise<void> {
  const { profileName, blankWidth, features } = await json(`/profiles/${profileId}`);
  if (isAnswered) expect(profileName).toBe(nameOfEdit(life));
  expect([profileName, features[0].length]).toEqual([nameOfEdit(blankWidth - 1), blankWidth]);
}

async function expectTaken(taskId: string, operator: string, isAnswered: boolean): Promise<void> {
  const { taskState, userName, startedDate } = await json(`/warehouseTasks/${taskId}`);
  if (isAnswered) expect(taskState).toBe('InProcess');
  const isTaken = taskState === 'InProcess';
  expect([userName, startedDate !== null]).toEqual([isTaken ? operator : null, isTaken]);
}

const nameOfEdit = (life: number): string => `edit ${life}`;

it('ORD-01 D-22 TASK-12 after a kill amid orders, profiles and transitions all answered changes are there, each as a whole', async () => {
  const random = seededRandom(announceSeed('business'));
  program = await Program.start({ plant: plantOf() });
  const { profileId } = JSON.parse((await api('POST', '/profiles', profileOf(nameOfEdit(0), 1))).text);
  for (let life = 1; life <= LIVES; life++) {
    const ids = Array.from({ length: 6 }, (_, index) => `D-${life}-${index}`);
    const orders = ids.map((id) => api('POST', '/orders/add', orderOf(id)));
    const created = ids.slice(0, 3).map((name) => api('POST', '/profiles', profileOf(name, 2)));
    const edit = api('PUT', `/profiles/${profileId}`, profileOf(nameOfEdit(life), 1 + life));
    const taken = api('POST', `/warehouseTasks/T-${life}/inProcess`, { userName: 'ann' });
    await wait(random() * 400);
    await program.kill();
    program = await Program.start({ dir: program.dir });
    await expectOrders(ids, await Promise.all(orders));
    await expectCreated(await Promise.all(created));
    await expectEdited(profileId, life, (await edit).status === 200);
    await expectTaken(`T-${life}`, 'ann', (await taken).status === 202);
  }
}, 60_000);

it('ORD-01 D-22 at a stop amid orders and profiles each request is answered, or was not done', async () => {
  program = await Program.start({ plant: plantOf() });
  const ids = Array.from({ length: 20 }, (_, index) => `S-${index}`);
  const orders = ids.map((id) => api('POST', '/orders/add', orderOf(id)));
  const profiles = ids.map((name) => api('POST', '/profiles', profileOf(name, 2)));
  await wait(30);
  const startedMs = performance.now();
  expect(await program.stop()).toBe(0);
  expect(performance.now() - startedMs).toBeLessThan(5_000);
  const ordered = (await Promise.all(orders)).map(({ status }) => status === 200);
  const profiled = (await Promise.all(profiles)).map(({ status }) => status === 200);
  program = await Program.start({ dir: program.dir });
  const rows = await rowsOfOrders();
  const names = new Set((await json('/profiles?take=1000')).map(({ profileName }: Json) => profileName));
  expect(ids.map((id) => rows.has(id))).toEqual(ordered);
  expect(ids.map((id) => names.has(id))).toEqual(profiled);
}, 30_000);
