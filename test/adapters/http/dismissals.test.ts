import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GatewayUnderTest, keyOf, startGateway, statusOf } from './gateway-under-test.ts';

const PATH = '/api/local/diagnostics/dismissals';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
  for (const machineId of ['X-1', 'X-2']) await gateway.postStatus(statusOf({ machineId }));
});
afterAll(() => gateway.close());

const dismiss = (body: object) => gateway.as(keyOf('supervisor'), 'POST', PATH, body);

async function dismissed(): Promise<readonly string[]> {
  const { body } = await gateway.as(keyOf('supervisor'), 'GET', '/api/local/diagnostics');
  const { unknownDevice } = body as {
    readonly unknownDevice: readonly {
      readonly subject: string;
      readonly faults: readonly { isDismissed: boolean }[];
    }[];
  };
  return unknownDevice.filter(({ faults }) => faults.every((fault) => fault.isDismissed)).map(({ subject }) => subject);
}

it('D-47 a report of a device is dismissed by a supervisor, and the audit says so', async () => {
  expect(await dismissed()).toEqual([]);
  expect(await dismiss({ kind: 'unknownDevice', subject: 'X-1' })).toMatchObject({ status: 204 });
  expect(await dismissed()).toEqual(['X-1']);
  await gateway.postStatus(statusOf({ machineId: 'X-1' }));
  expect(await dismissed()).toEqual(['X-1']);
  const { body } = await gateway.as(keyOf('admin'), 'GET', '/api/local/audit?q=dismissReport');
  expect(body).toMatchObject({ entries: [{ who: 'supervisor-principal', subject: 'X-1' }] });
});

it.each([
  [{ kind: 'unknownDevice', subject: 'X-9' }, 404, 'subject: found "X-9", expected one that /diagnostics has'],
  [{ kind: 'unmatchedTopic', subject: 'X-2' }, 404, 'subject: found "X-2"'],
  [{ kind: 'unknownDevice', subject: 'X-2', meantFor: 'M-0' }, 404, 'subject: found "X-2"'],
  [{ kind: 'store', subject: 'X-2' }, 400, 'kind: found "store", expected unknownDevice or unmatchedTopic'],
  [{ kind: 'unknownDevice' }, 400, 'subject: found nothing'],
])('D-47 %j is refused', async (body, status, words) => {
  const answer = await dismiss(body);
  expect(answer).toMatchObject({ status, body: { errors: [expect.stringContaining(words)] } });
  expect(await dismissed()).not.toContain('X-2');
});
