import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { LegacyAgentServer } from '../../../fakes/legacy-agent-server.ts';
import { told, WarehouseUnderTest } from './warehouse-under-test.ts';

let agent: LegacyAgentServer;
let warehouse: WarehouseUnderTest;

beforeAll(async () => {
  agent = new LegacyAgentServer({ 'C-1': 'WH-A1', 'C-2': 'WH-A1', 'C-bare': 'WH-A1' });
  await agent.start();
  warehouse = await WarehouseUnderTest.start({ coilIds: ['C-1', 'C-2'], tasks: [], agentUrl: agent.url });
});

afterAll(async () => {
  await warehouse.close();
  await agent.stop();
});

beforeEach(() => agent.behave());

it('COIL-04 is 200 without a body, also to the place where it lies already', async () => {
  for (const location of ['WH-A2', 'WH-A2']) {
    const answer = await warehouse.move('C-1', location);
    expect([answer.status, answer.text]).toEqual([200, '']);
  }
  expect(agent.asked.map(({ location }) => location)).toEqual(['WH-A2', 'WH-A2']);
});

it.each<readonly [string, unknown, number, string]>([
  ['C-none', 'WH-A2', 404, 'No coil with id C-none'],
  ['C-none', 'WH-Z9', 404, 'No coil with id C-none'],
  ['C-2', undefined, 400, 'location: found nothing, expected a value'],
  ['C-2', null, 400, 'location: found null, expected text'],
  ['C-2', 'WH-Z9', 400, 'location: found "WH-Z9", expected the code of an existing location'],
  ['C-2', ' WH-A2', 400, 'location: found " WH-A2", expected the code of an existing location'],
  [
    'C-bare',
    'WH-A2',
    400,
    'coilId: found "C-bare" without gauge, widthIn, lengthStartFt, lengthRemainingFt, expected a coil with an extended record',
  ],
])('COIL-04 D-19 ERR-01 %s to %j: refused, and the agent is not asked', async (coilId, location, status, error) => {
  expect(told(await warehouse.move(coilId, location))).toEqual([status, { errors: [error] }]);
  expect(agent.asked).toEqual([]);
});

it('COIL-04 takes no userName, and needs a JSON body', async () => {
  const place = '/coils/C-2/location';
  const withName = await warehouse.api('POST', place, { location: 'WH-A2', userName: 'ann' });
  expect(told(withName)).toEqual([400, { errors: ['userName: unknown field'] }]);
  const without = await warehouse.api('POST', place);
  expect(told(without)).toEqual([400, { errors: ['body: found nothing, expected a JSON object'] }]);
  expect((await warehouse.api('POST', place, '{}', { 'content-type': 'text/plain' })).status).toBe(415);
});

it('UP-04 writes of one coil do not overlap; writes of different coils do', async () => {
  agent.slowMs = 60;
  agent.manner = 'slow';
  const underWay = new Set<string>();
  const overlaps: string[] = [];
  let together = 0;
  agent.onWrite = ({ coilId, operationId }) => {
    if (underWay.has(coilId)) overlaps.push(operationId);
    underWay.add(coilId);
    together = Math.max(together, underWay.size);
    setTimeout(() => underWay.delete(coilId), agent.slowMs - 10);
  };
  const answers = await Promise.all(
    ['WH-A1', 'WH-A2', 'WH-A3'].flatMap((location) => [
      warehouse.move('C-1', location),
      warehouse.move('C-2', location),
    ]),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  expect(overlaps).toEqual([]);
  expect(together).toBe(2);
  expect(await warehouse.locationOf('C-1')).toBe(agent.locations.get('C-1'));
});
