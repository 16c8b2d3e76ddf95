import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BatchSender, operationOf, PRODUCT, points, syncCalls } from '../../fakes/batch-sender.ts';
import { call, type GatewayUnderTest, keyOf, startGateway } from './gateway-under-test.ts';

let gateway: GatewayUnderTest;
let known: BatchSender;
const { freshSender, deliver, local, business } = syncCalls(() => gateway);

beforeAll(async () => {
  gateway = await startGateway();
  known = freshSender().queue([], [points(1)]);
  expect((await deliver(known)).status).toBe(200);
});
afterAll(() => gateway.close());

describe('data directories with the same name', () => {
  const A_TIME = expect.stringContaining('T');
  const alive = ({ gatewayId, stream }: BatchSender) =>
    gateway.as(keyOf('gateway'), 'GET', `/api/v1/sync?${new URLSearchParams({ gatewayId, stream })}`);
  const incidentsOf = ({ gatewayId }: BatchSender) =>
    gateway.incidents
      .entries('sendingGateway')
      .filter(({ detail }) => detail.includes(gatewayId))
      .map(({ detail }) => detail);

  /** A gateway that has sent, and a copy of its data directory that goes on beside it. */
  async function originalAndCopy(): Promise<readonly [BatchSender, BatchSender]> {
    const original = freshSender().queue([], [points(1)]);
    expect((await deliver(original)).status).toBe(200);
    const copy = original.copy();
    expect((await deliver(original.queue([], [points(2)]))).status).toBe(200);
    expect(await deliver(copy.queue([], [points(3)]))).toMatchObject({
      status: 409,
      body: { errors: [expect.stringMatching(/^previous: found /)] },
    });
    copy.restartStream();
    return [original, copy];
  }

  function grant({ gatewayId, stream }: Pick<BatchSender, 'gatewayId' | 'stream'>, role = 'supervisor') {
    return gateway.as(keyOf(role), 'POST', '/api/local/gateways/grant', { gatewayId, stream });
  }

  /** Both send for long enough to be recognised as two. */
  async function refuse(original: BatchSender, copy: BatchSender): Promise<void> {
    expect((await deliver(copy)).status).toBe(503);
    for (const status of [503, 403]) {
      gateway.pass(10_000);
      expect((await alive(original)).status).toBe(200);
      expect((await deliver(copy)).status).toBe(status);
    }
  }

  async function pointsOf({ gatewayId }: BatchSender): Promise<readonly number[]> {
    const path = `/gateways/${gatewayId}/machines/RF-01/variables/lineSpeed?from=2026-03-04T00:00:00Z&to=2026-03-05T00:00:00Z`;
    return ((await local(path)).body as { points: { value: number }[] }).points.map(({ value }) => value);
  }

  it('D-27 a restored data directory is taken once the one before is silent, and diagnostics report it', async () => {
    const [original, restored] = await originalAndCopy();
    const held = await deliver(restored);
    expect(held).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect(held.body).toEqual({
      errors: [expect.stringMatching(`${original.gatewayId} sends from another.*${original.stream}.*silent for 15 s`)],
    });
    gateway.pass(15_001);
    expect((await deliver(restored)).status).toBe(200);
    expect(await pointsOf(original)).toEqual([1, 2, 3]);
    expect(incidentsOf(original)).toEqual([expect.stringContaining('was restored, copied or created again')]);
  });

  it.each([
    ['sends', (original: BatchSender) => deliver(original.queue([], [points(4)]))],
    ['says that it lives', alive],
  ])('D-27 a copy is refused while the original %s; its records wait until a person decides', async (_, speak) => {
    const [original, copy] = await originalAndCopy();
    expect((await deliver(copy)).status).toBe(503);
    gateway.pass(10_000);
    expect((await speak(original)).status).toBe(200);
    gateway.pass(10_000);
    expect((await deliver(copy)).status).toBe(503);
    expect((await speak(original)).status).toBe(200);
    const refused = await deliver(copy);
    expect(refused.status).toBe(403);
    expect(refused.body).toEqual({ errors: [expect.stringMatching('two data directories.*gatewayId of its own')] });
    expect(incidentsOf(original)).toEqual([expect.stringContaining(`Stream ${copy.stream} is refused`)]);
    // The original's silence does not help the copy: a copy that is switched on while the original restarts is still a
    // copy.
    gateway.pass(60_000);
    expect((await deliver(copy)).status).toBe(403);
    expect(await pointsOf(original)).not.toContain(3);
    const { gatewayId } = original;
    const listed = (await local('/gateways')).body as readonly { gatewayId: string }[];
    expect(listed.find((one) => one.gatewayId === gatewayId)).toMatchObject({
      stream: original.stream,
      refused: [{ stream: copy.stream, since: A_TIME, lastHeardAt: A_TIME, principal: 'gateway-principal' }],
    });
    expect((await grant(copy, 'technician')).status).toBe(403);
    expect((await grant(copy)).status).toBe(204);
    expect(incidentsOf(original)).toContainEqual(expect.stringContaining(`to stream ${copy.stream}`));
    expect((await deliver(copy)).status).toBe(200);
    expect(await pointsOf(original)).toContain(3);
    expect((await deliver(original.queue([], [points(5)]))).status).toBe(403);
  });

  it.each([
    ['nobody', () => 'nobody', 'No sending gateway with id "nobody"'],
    ['a gateway that sends', () => known.gatewayId, 'stream: found "no-stream"'],
  ])('D-27 the name of %s is not granted to a stream that is not there', async (_, gatewayId, error) => {
    const answer = await grant({ gatewayId: gatewayId(), stream: 'no-stream' });
    expect(answer).toMatchObject({ status: 404, body: { errors: [expect.stringContaining(error)] } });
  });

  it('D-27 a data directory that was not heard lately is not granted the name', async () => {
    const [original, copy] = await originalAndCopy();
    await refuse(original, copy);
    gateway.pass(30_001);
    expect(await grant(copy)).toMatchObject({
      status: 409,
      body: { errors: [expect.stringMatching(`"${copy.stream}", expected one that was heard within 30 s`)] },
    });
  });

  it('D-27 a single request long ago does not prove that two data directories live', async () => {
    const [original, copy] = await originalAndCopy();
    expect((await deliver(copy)).status).toBe(503);
    for (let minutes = 0; minutes < 3; minutes += 1) {
      gateway.pass(60_000);
      expect((await alive(original)).status).toBe(200);
    }
    expect((await deliver(copy)).status).toBe(503);
    gateway.pass(15_001);
    expect((await deliver(copy)).status).toBe(200);
  });

  it('D-27 UP-02 a copy that got its own name does not repeat any operation', async () => {
    const [original] = await originalAndCopy();
    const json = JSON.stringify({ documentID: 'doc-200', orderCode: 'O-2', products: [PRODUCT] });
    original.queue([operationOf({ type: 'orderPut', orderKey: 'documentID doc-200', json, isNew: true })]);
    const batch = original.batch();
    expect((await deliver(original)).body).toMatchObject({ refused: [] });
    expect((await business('DELETE', '/orders/doc-200')).status).toBe(200);
    const renamed = freshSender().queue(batch?.batch.records ?? []);
    expect((await deliver(renamed)).body).toMatchObject({ refused: [], isRepeated: false });
    expect((await business('DELETE', '/orders/doc-200')).status).toBe(404);
  });

  it('D-27 batches are counted by their outcome', async () => {
    await originalAndCopy();
    const { text } = await call(`${gateway.url}/metrics`, 'GET', undefined, {});
    expect(text).toMatch(/plantgate_received_batches_total\{outcome="diverged"\} [1-9]/);
    expect(text).toMatch(/plantgate_received_records_total [1-9]/);
  });
});

describe('a name of another principal', () => {
  const ERP = keyOf('business');
  const aliveAs = (key: string, { gatewayId, stream }: BatchSender) =>
    gateway.as(key, 'GET', `/api/v1/sync?${new URLSearchParams({ gatewayId, stream })}`);

  async function heldName(): Promise<BatchSender> {
    const owner = freshSender().queue([], [points(1)]);
    expect((await deliver(owner)).status).toBe(200);
    return owner;
  }

  /** Another data directory under the same name. */
  function thief({ gatewayId }: BatchSender): BatchSender {
    return new BatchSender(gatewayId, randomUUID).queue([], [points(7)]);
  }

  async function gatewayNamed(gatewayId: string) {
    const listed = (await local('/gateways')).body as readonly { readonly gatewayId: string }[];
    return listed.find((one) => one.gatewayId === gatewayId);
  }

  it.each([
    ['while its gateway sends', 0],
    ['when its gateway was silent for 16 s', 16_000],
    ['when its gateway was silent for a year', 365 * 86_400_000],
  ])('D-27 is refused to another key %s, and the gateway goes on under it', async (_, silentMs) => {
    const owner = await heldName();
    gateway.pass(silentMs);
    const other = thief(owner);
    const refused = await deliver(other, ERP);
    expect(refused.status).toBe(403);
    expect(refused.body).toEqual({
      errors: [expect.stringMatching('belongs to gateway-principal.*key is one of business-principal.*gateways grant')],
    });
    expect(await gatewayNamed(owner.gatewayId)).toMatchObject({
      stream: owner.stream,
      principal: 'gateway-principal',
      refused: [{ stream: other.stream, principal: 'business-principal' }],
    });
    const told = gateway.incidents.entries('sendingGateway').map(({ detail }) => detail);
    expect(told).toContainEqual(expect.stringContaining(`gateway ${owner.gatewayId} belongs to`));
    expect((await deliver(owner.queue([], [points(2)]))).status).toBe(200);
  });

  it('D-27 is refused to another key that copied its data directory', async () => {
    const owner = await heldName();
    const copy = owner.copy().queue([], [points(9)]);
    expect((await deliver(copy, ERP)).status).toBe(403);
    expect((await deliver(owner.queue([], [points(2)]))).status).toBe(200);
  });

  it('D-27 does not count as alive because another key says so: the restored data directory takes it', async () => {
    const owner = await heldName();
    const restored = thief(owner);
    gateway.pass(15_001);
    expect((await aliveAs(ERP, owner)).status).toBe(200);
    expect((await deliver(restored)).status).toBe(200);
  });

  it('D-27 passes to the other key by a grant, and back by another', async () => {
    const owner = await heldName();
    const other = thief(owner);
    expect((await deliver(other, ERP)).status).toBe(403);
    const grant = ({ gatewayId, stream }: BatchSender) =>
      gateway.as(keyOf('supervisor'), 'POST', '/api/local/gateways/grant', { gatewayId, stream });
    expect((await grant(other)).status).toBe(204);
    expect((await deliver(other, ERP)).status).toBe(200);
    expect((await deliver(owner.queue([], [points(2)]))).status).toBe(403);
    expect((await grant(owner)).status).toBe(204);
    expect((await deliver(owner)).status).toBe(200);
  });
});
