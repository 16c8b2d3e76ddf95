import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UpstreamAgent } from '../../../../src/adapters/central/legacy-agent/upstream-agent.ts';
import { progressOf } from '../../../../src/domain/warehouse/task.ts';
import type { LegacyRequest } from '../../../../src/flows/warehouse/warehouse-ports.ts';
import { taskOf, writeOf } from '../../../domain/warehouse/warehouse-samples.ts';
import { CentralServer } from '../../../fakes/central-server.ts';

/** A test with a hanging server takes this long. Even a busy computer answers sooner. */
const TIMEOUT_MS = 1_000;
const MOVE = writeOf();
const COMPLETE = taskWrite('complete', 'RF-01');
const CANCEL = taskWrite('cancel', 'WH-A2');

function taskWrite(type: 'complete' | 'cancel', location: string): LegacyRequest {
  const progress = { ...progressOf(taskOf()), userName: type === 'complete' ? 'ann' : null };
  return writeOf({ location, purpose: { type, taskId: 'T-1', progress, operatorBefore: null } });
}

describe('a central server with the interface alone', () => {
  let central: CentralServer;
  let agent: UpstreamAgent;

  beforeEach(async () => {
    central = new CentralServer();
    central.plant.coils.set('C-1', { coilId: 'C-1', location: 'WH-A1' });
    central.plant.tasks.set('T-1', { taskId: 'T-1', taskState: 'InTransit', selectedCoilId: 'C-1' });
    await central.start();
    agent = new UpstreamAgent({ url: central.url, apiKey: 'central-key', timeoutMs: TIMEOUT_MS });
  });

  afterEach(async () => {
    await agent.close();
    await central.stop();
  });

  it.each<readonly [string, LegacyRequest, string, object]>([
    ['a move', MOVE, '/api/v1/coils/C-1/location', { location: 'WH-A2' }],
    ['a complete', COMPLETE, '/api/v1/warehouseTasks/T-1/complete', { location: 'RF-01', userName: 'ann' }],
    ['a cancel', CANCEL, '/api/v1/warehouseTasks/T-1/cancel', { coilId: 'C-1', location: 'WH-A2' }],
  ])('UP-04 D-31 gets %s as its own operation, under the key of the write', async (_, write, path, body) => {
    expect(await agent.move(write)).toEqual({ kind: 'applied' });
    expect(central.requests).toEqual([{ method: 'POST', path, body, operationId: 'op-1', isDone: true }]);
  });

  it('UP-04 is offline while it is away: nothing was sent', async () => {
    await central.stop();
    expect(await agent.move(MOVE)).toMatchObject({ kind: 'offline' });
    expect(await agent.locate('C-1', MOVE)).toMatchObject({ kind: 'unreachable' });
    expect(await agent.locate('C-1', COMPLETE)).toMatchObject({ kind: 'unreachable' });
  });

  it('D-16 is asked for the coil after an unconfirmed move', async () => {
    expect(await agent.locate('C-1', MOVE)).toEqual({ kind: 'at', location: 'WH-A1' });
    expect(await agent.locate('C-9', { ...MOVE, coilId: 'C-9' })).toEqual({ kind: 'absent' });
  });

  it.each([
    ['complete', COMPLETE],
    ['cancel', CANCEL],
  ] as const)('D-16 is asked for the task and the coil after an unconfirmed %s', async (_, write) => {
    expect(await agent.locate('C-1', write)).toEqual({ kind: 'notSeen' });
    await agent.move(write);
    expect(await agent.locate('C-1', write)).toEqual({ kind: 'carriedOut' });
    central.plant.coils.set('C-1', { coilId: 'C-1', location: 'WH-A9' });
    expect(await agent.locate('C-1', write)).toEqual({ kind: 'notSeen' });
    central.plant.tasks.clear();
    expect(await agent.locate('C-1', write)).toEqual({ kind: 'notSeen' });
  });

  it('D-16 may show a change of state late: the gateway waits for the new state', async () => {
    setTimeout(() => void agent.move(COMPLETE), 100);
    expect(await agent.locate('C-1', COMPLETE)).toEqual({ kind: 'carriedOut' });
  });

  it('D-16 with a nonsense answer leaves the write unconfirmed', async () => {
    central.manner = () => 'talksNonsense';
    expect(await agent.locate('C-1', MOVE)).toMatchObject({ kind: 'unreachable' });
    expect(await agent.locate('C-1', COMPLETE)).toMatchObject({ kind: 'unreachable' });
  });
});

describe('the meaning of its answers', () => {
  let server: Server;
  let agent: UpstreamAgent;
  let said: { readonly status: number; readonly body: string; readonly headers: Readonly<Record<string, string>> };

  beforeAll(async () => {
    server = createServer((_, response) => response.writeHead(said.status, said.headers).end(said.body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    agent = new UpstreamAgent({ url: `http://127.0.0.1:${port}/central/`, apiKey: 'k', timeoutMs: 1_000 });
  });

  afterAll(async () => {
    await agent.close();
    server.close();
  });

  const NOT_LICENSED = 'NotLicensedForMachineWarehouse';
  it.each<readonly [number, readonly string[] | string, object]>([
    [200, '', { kind: 'applied' }],
    [202, '', { kind: 'applied' }],
    [302, '', { kind: 'offline' }],
    [400, ['no such location'], { kind: 'rejected', message: 'no such location' }],
    [400, ['one', 'two'], { kind: 'rejected', message: 'one; two', sentences: ['one', 'two'] }],
    [400, '<html>', { kind: 'rejected', message: 'the central server answered with HTTP status 400' }],
    [401, '', { kind: 'offline' }],
    [403, [NOT_LICENSED], { kind: 'rejected', message: NOT_LICENSED, code: 'not-licensed' }],
    [403, ['role too small'], { kind: 'offline' }],
    [404, ['No warehouse task with id T-1'], { kind: 'rejected', code: 'not-found' }],
    [404, ['No coil with id C-1'], { kind: 'rejected', code: 'not-found' }],
    [404, '', { kind: 'rejected', message: 'the central server answered with HTTP status 404' }],
    [408, '', { kind: 'unconfirmed' }],
    [409, ['busy'], { kind: 'rejected', message: 'busy' }],
    [429, '', { kind: 'offline' }],
    [500, '', { kind: 'unconfirmed' }],
    [502, '', { kind: 'unconfirmed' }],
    [503, ['AgentNotAvailable'], { kind: 'offline' }],
    // The server's own write is unconfirmed: it may still be done.
    [503, ['AgentNotAvailable', 'coilId: unconfirmed'], { kind: 'unconfirmed' }],
    [503, '', { kind: 'unconfirmed' }],
    [200, '<!DOCTYPE html>', { kind: 'offline' }],
    [202, '<html>', { kind: 'offline' }],
  ])('UP-04 D-16 %s %j', async (status, errors, outcome) => {
    said = { status, body: typeof errors === 'string' ? errors : JSON.stringify({ errors }), headers: {} };
    expect(await agent.move(MOVE)).toMatchObject(outcome);
  });

  it.each([
    ['unchanged', 'offline'],
    ['unknown', 'unconfirmed'],
  ])('UP-04 D-55 503 with the outcome %s is %s', async (told, kind) => {
    const body = JSON.stringify({ errors: ['the disk takes nothing'] });
    said = { status: 503, body, headers: { 'Plantgate-Outcome': told } };
    expect(await agent.move(MOVE)).toMatchObject({ kind });
  });
});
