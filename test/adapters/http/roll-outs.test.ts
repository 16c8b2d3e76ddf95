import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeUpdate } from '../../../build/update-archive.ts';
import { NEWEST_SCHEMA } from '../../../src/adapters/store/thread/database/migrations.ts';
import type { RollOut } from '../../../src/domain/fleet/update/roll-out.ts';
import type { UpdateReport } from '../../../src/domain/fleet/update/update-report.ts';
import { type BatchSender, points, syncCalls } from '../../fakes/batch-sender.ts';
import { HEALTHY } from '../../fakes/gateway-health.ts';
import { type GatewayUnderTest, keyOf, startGateway } from './gateway-under-test.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const MINUTE_MS = 60_000;
let gateway: GatewayUnderTest;
let archiveId: string;
let archive: Buffer;
const { freshSender, deliver } = syncCalls(() => gateway);
const admin = (method: string, place: string, body?: unknown) =>
  gateway.as(keyOf('admin'), method, `/api/local/fleet${place}`, body);

beforeAll(async () => {
  gateway = await startGateway({
    applying: (dataDir) => ({
      trustedKeys: path.join(dataDir, 'keys.pem'),
      applyPath: path.join(dataDir, 'apply.path'),
      packagedUnits: [],
      outcome: path.join(dataDir, 'outcome.json'),
    }),
  });
  const at = (name: string) => path.join(gateway.dataDir, name);
  writeFileSync(at('keys.pem'), publicKey.export({ type: 'spki', format: 'pem' }), { mode: 0o644 });
  writeFileSync(at('program'), 'a program '.repeat(20_000));
  const made = { version: '77.0.0', arch: 'x64', schema: NEWEST_SCHEMA, created: new Date(0) };
  await writeUpdate(at('made.update'), { ...made, binary: at('program') }, privateKey);
  archive = readFileSync(at('made.update'));
  const begun = await admin('POST', '/archives/upload', { bytes: archive.length });
  const upload = `/archives/upload/${(begun.body as { readonly uploadId: string }).uploadId}`;
  const headers = { authorization: `ApiKey ${keyOf('admin')}`, 'content-type': 'application/octet-stream' };
  const place = `/api/local/fleet${upload}?offset=0`;
  expect((await gateway.call('PUT', place, archive, headers)).status).toBe(204);
  const kept = await admin('POST', `${upload}/finish`);
  expect(kept.status).toBe(201);
  ({ archiveId } = kept.body as { readonly archiveId: string });
  gateway.pass(MINUTE_MS);
});
afterAll(() => gateway.close());

let made = 0;
/** Gateways in a group of their own. */
async function group(count: number) {
  made += 1;
  const { body } = await admin('POST', '/groups', { name: `Group ${made}` });
  const place = `/groups/${(body as { readonly groupId: string }).groupId}`;
  const members: BatchSender[] = [];
  for (let place = 0; place < count; place += 1) members.push(freshSender().queue([], [points(1)]));
  members.sort((one, other) => (one.gatewayId < other.gatewayId ? -1 : 1));
  for (const member of members) expect((await deliver(member)).status).toBe(200);
  await gateway.options.fleet?.look();
  for (const { gatewayId } of members) await admin('PUT', `${place}/gateways/${gatewayId}`);
  return { place, members };
}

type Told = Partial<UpdateReport> & { readonly version?: string };

type AllTold = readonly (readonly [BatchSender, Told])[];

/** Each of these gateways reports. */
async function tell(told: AllTold): Promise<void> {
  for (const [{ gatewayId, stream }, { version = '2.5.0', ...more }] of told) {
    const update = { arch: 'x64', obstacle: null, upForMs: 0, taken: null, ...more };
    const body = { gatewayId, stream, health: { ...HEALTHY, version, update } };
    expect((await gateway.as(keyOf('gateway'), 'POST', '/api/v1/sync/health', body)).status).toBe(200);
  }
  await gateway.options.fleet?.look();
}

/** Each of these gateways reports, then the next step is taken. Gives where each gateway of the group stands. */
async function step(place: string, told: AllTold) {
  await tell(told);
  await gateway.options.rollOuts.step();
  const { update } = (await admin('GET', `${place}/update`)).body as { readonly update: Shown };
  return [update.state, ...update.gateways.map(({ standing }) => standing)];
}

interface Shown extends Pick<RollOut, 'state' | 'why'> {
  readonly gateways: readonly { readonly standing: string; readonly why: string }[];
}

async function begin(place: string, canaries: readonly BatchSender[], atOnce: number): Promise<void> {
  const ids = canaries.map(({ gatewayId }) => gatewayId);
  expect((await admin('POST', `${place}/update`, { archiveId, canaries: ids, atOnce })).status).toBe(204);
}

const NEW = { version: '77.0.0', upForMs: 1_000 };
const SETTLED = { version: '77.0.0', upForMs: 10 * MINUTE_MS };
const OLD = {};

describe('D-107 an update in steps', () => {
  it('goes to canaries, then to N at a time, each step when the one before has settled', async () => {
    const { place, members } = await group(4);
    const [one, two, three, four] = members as [BatchSender, BatchSender, BatchSender, BatchSender];
    await begin(place, [two], 2);
    const all = (...told: readonly Told[]) =>
      step(
        place,
        members.map((member, at) => [member, told[at] ?? OLD] as const),
      );
    expect(await all()).toEqual(['running', 'waiting', 'taking', 'waiting', 'waiting']);
    expect(await all(OLD, NEW)).toEqual(['running', 'waiting', 'settling', 'waiting', 'waiting']);
    expect(await all(OLD, SETTLED)).toEqual(['running', 'taking', 'done', 'taking', 'waiting']);
    expect(await all(SETTLED, SETTLED)).toEqual(['running', 'done', 'done', 'taking', 'waiting']);
    expect(await all(SETTLED, SETTLED, SETTLED)).toEqual(['running', 'done', 'done', 'done', 'taking']);
    expect(await all(SETTLED, SETTLED, SETTLED, SETTLED)).toEqual(['done', 'done', 'done', 'done', 'done']);
    expect([one, three, four]).toHaveLength(3);
  });

  it('waits for a canary that is away, and passes over gateways that cannot take it', async () => {
    const { place, members } = await group(4);
    const [canary, packaged, arm, plain] = members as [BatchSender, BatchSender, BatchSender, BatchSender];
    gateway.pass(2 * MINUTE_MS);
    await begin(place, [canary], 1);
    const others = [
      [packaged, { obstacle: 'package' }],
      [arm, { arch: 'arm64' }],
      [plain, OLD],
    ] as const;
    expect(await step(place, others)).toEqual(['running', 'away', 'unable', 'other', 'waiting']);
    expect(await step(place, [[canary, OLD]])).toEqual(['running', 'taking', 'unable', 'other', 'waiting']);
    expect(await step(place, [[canary, SETTLED]])).toEqual(['running', 'done', 'unable', 'other', 'taking']);
    expect(await step(place, [[plain, SETTLED]])).toEqual(['done', 'done', 'unable', 'other', 'done']);
  });

  it.each<[string, Told, number, string]>([
    [
      'rolls it back',
      { taken: { updateId: '', state: 'failed', receivedBytes: 0, reason: 'rolledBack' } },
      0,
      'rolledBack',
    ],
    ['falls silent with it', NEW, 31 * MINUTE_MS, 'not heard any more'],
  ])('stops by itself when a gateway %s; a person may go on', async (_, told, thenMs, why) => {
    const { place, members } = await group(2);
    const [canary, other] = members as [BatchSender, BatchSender];
    await begin(place, [canary], 1);
    await step(place, [
      [canary, OLD],
      [other, OLD],
    ]);
    const { updateId } = (await gateway.store.rollOuts()).find(({ groupId }) => place.endsWith(groupId)) ?? {};
    const taken = told.taken && { ...told.taken, updateId: updateId ?? '' };
    await step(place, [
      [canary, { ...told, ...(taken && { taken }) }],
      [other, OLD],
    ]);
    gateway.pass(thenMs);
    expect(await step(place, [[other, OLD]])).toEqual(['stopped', 'failed', 'waiting']);
    const { update } = (await admin('GET', `${place}/update`)).body as { readonly update: Shown };
    expect(update.why).toContain(why);
    expect((await admin('POST', `${place}/update/goOn`)).status).toBe(204);
    expect(await step(place, [[other, OLD]])).toEqual(['running', 'failed', 'taking']);
    expect((await admin('POST', `${place}/update/stop`)).status).toBe(204);
    expect((await admin('POST', `${place}/update/stop`)).status).toBe(409);
  });

  const UNABLE: readonly (readonly [string, Told, string, string])[] = [
    ['is updated by a package', { obstacle: 'package' }, 'unable', 'a package updates it'],
    ['has nothing that installs updates', { obstacle: 'noService' }, 'unable', 'nothing installs updates there'],
    ['has another architecture', { arch: 'arm64' }, 'other', 'its architecture is arm64'],
    ['runs a newer version', { version: '78.0.0' }, 'done', 'it runs 78.0.0'],
  ];

  it.each(UNABLE)('is refused where the only canary %s, and needs one that can take it', async (_, told, __, why) => {
    const { place, members } = await group(3);
    const [canary, able, other] = members as [BatchSender, BatchSender, BatchSender];
    const first = [
      [canary, told],
      [able, OLD],
      [other, OLD],
    ] as const;
    await tell(first);
    const ids = [canary, able].map(({ gatewayId }) => gatewayId);
    const refused = await admin('POST', `${place}/update`, { archiveId, canaries: ids.slice(0, 1), atOnce: 2 });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      409,
      expect.stringContaining(`${ids[0]} (${why})`),
    ]);
    await begin(place, [canary, able], 2);
    expect((await step(place, first)).slice(2)).toEqual(['taking', 'waiting']);
  });

  it.each(UNABLE)(
    'stops before anybody has it if the canary %s by then; a person may go on',
    async (_, told, standing) => {
      const { place, members } = await group(3);
      const [canary, one, two] = members as [BatchSender, BatchSender, BatchSender];
      gateway.pass(2 * MINUTE_MS);
      await begin(place, [canary], 2);
      const others = [
        [one, OLD],
        [two, OLD],
      ] as const;
      expect(await step(place, others)).toEqual(['running', 'away', 'waiting', 'waiting']);
      const all = [[canary, told], ...others] as const;
      expect(await step(place, all)).toEqual(['stopped', standing, 'waiting', 'waiting']);
      const { update } = (await admin('GET', `${place}/update`)).body as { readonly update: Shown };
      expect(update.why).toContain(`${canary.gatewayId}: it was to get it first and cannot take it`);
      expect(await step(place, all)).toEqual(['stopped', standing, 'waiting', 'waiting']);
      expect((await admin('POST', `${place}/update/goOn`)).status).toBe(204);
      expect(await step(place, all)).toEqual(['running', standing, 'taking', 'taking']);
    },
  );

  it('stops if the canary has left the group, and not because a person went on before anything was found', async () => {
    const { place, members } = await group(2);
    const [canary, other] = members as [BatchSender, BatchSender];
    await begin(place, [canary], 1);
    await admin('DELETE', `${place}/gateways/${canary.gatewayId}`);
    expect((await admin('POST', `${place}/update/stop`)).status).toBe(204);
    expect((await admin('POST', `${place}/update/goOn`)).status).toBe(204);
    expect(await step(place, [[other, OLD]])).toEqual(['stopped', 'waiting']);
  });

  it('waits for a canary that was given the version another way, until it has run it for long enough', async () => {
    const { place, members } = await group(2);
    const [canary, other] = members as [BatchSender, BatchSender];
    await begin(place, [canary], 1);
    const withCanary = (told: Told) =>
      step(place, [
        [canary, told],
        [other, OLD],
      ]);
    expect(await withCanary(NEW)).toEqual(['running', 'done', 'waiting']);
    expect(await withCanary(SETTLED)).toEqual(['running', 'done', 'taking']);
    // The trial is over; the canary may go its own way.
    expect(await withCanary({ version: '78.0.0' })).toEqual(['running', 'done', 'taking']);
  });

  it('is not done where nobody can take it: it is refused, or stops and says so', async () => {
    const { place, members } = await group(2);
    const told = members.map((member) => [member, { obstacle: 'package' }] as const);
    gateway.pass(2 * MINUTE_MS);
    await begin(place, [], 1);
    expect(await step(place, told)).toEqual(['stopped', 'unable', 'unable']);
    const { update } = (await admin('GET', `${place}/update`)).body as { readonly update: Shown };
    expect(update.why).toBe('no gateway of the group has it or can take it');
    expect(gateway.incidents.entries('sendingGateway').some(({ detail }) => detail.endsWith(update.why))).toBe(true);
    const again = await admin('POST', `${place}/update`, { archiveId, canaries: [], atOnce: 1 });
    expect([again.status, JSON.stringify(again.body)]).toEqual([
      409,
      expect.stringContaining('no gateway of this group'),
    ]);
  });

  it('gives its archive in pieces to a gateway whose turn it is, and to no other', async () => {
    const { place, members } = await group(2);
    const [canary, other] = members as [BatchSender, BatchSender];
    await begin(place, [canary], 1);
    await step(
      place,
      members.map((member) => [member, OLD] as const),
    );
    const query = ({ gatewayId, stream }: BatchSender) => new URLSearchParams({ gatewayId, stream });
    const get = (path: string) => gateway.as(keyOf('gateway'), 'GET', `/api/v1/sync/${path}`);
    const target = (await get(`plan?${query(canary)}`)).body as { readonly update: { readonly updateId: string } };
    expect(target).toMatchObject({ update: { version: '77.0.0', bytes: archive.length } });
    expect((await get(`plan?${query(other)}`)).body).toMatchObject({ update: null });
    const { updateId } = target.update;
    let received = 0;
    while (received < archive.length) {
      const piece = await get(`update/${updateId}?${query(canary)}&from=${received}`);
      expect(piece.status).toBe(200);
      const bytes = Number(piece.headers['content-length']);
      expect(bytes).toBe(Math.min(65_536, archive.length - received));
      received += bytes;
    }
    expect((await get(`update/${updateId}?${query(other)}`)).status).toBe(404);
    await admin('POST', `${place}/update/stop`);
    expect((await get(`update/${updateId}?${query(canary)}`)).status).toBe(404);
  });
});
