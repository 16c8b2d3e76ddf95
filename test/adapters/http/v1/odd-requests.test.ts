import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyOf, type TaskSeed } from '../../../end-to-end/warehouse-plant.ts';
import { WarehouseUnderTest } from './warehouse-under-test.ts';

/** Requests in the forms of other clients, proxies and encodings. */

const TASKS: readonly TaskSeed[] = [
  { taskId: 'T-1', taskState: 'Ready' },
  { taskId: 'longer', taskState: 'Ready' },
  { taskId: 'chunked ready', taskState: 'InProcess', userName: 'ann' },
  { taskId: 'chunked inProcess', taskState: 'Ready' },
];

let warehouse: WarehouseUnderTest;
beforeAll(async () => {
  warehouse = await WarehouseUnderTest.start({ tasks: TASKS, agentUrl: null });
});
afterAll(() => warehouse.close());

/** Sends exactly these bytes on a new connection, and ends it if there is no body; gives all bytes that come back. */
function exchange(taskId: string, type: string, headers: readonly string[], body: string | null): Promise<string> {
  const line = `POST /api/v1/warehouseTasks/${taskId}/${type} HTTP/1.1`;
  const head = [line, 'Host: 127.0.0.1', `Authorization: ApiKey ${keyOf(0)}`, ...headers].join('\r\n');
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(new URL(warehouse.eventsUrl).port), '127.0.0.1', () => {
      socket.write(`${head}\r\n\r\n${body ?? ''}`);
      if (body === null) socket.end();
    });
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    socket.on('close', () => resolve(text));
  });
}

describe('bodies', () => {
  it.each(['ready', 'inProcess'])(
    'TASK-06, TASK-07 a body announced as chunked that does not come counts as no body: %s',
    async (type) => {
      const place = `/warehouseTasks/${encodeURIComponent(`chunked ${type}`)}`;
      expect(
        (await warehouse.api('POST', `${place}/${type}`, undefined, { 'transfer-encoding': 'chunked' })).status,
      ).toBe(202);
      expect((await warehouse.api('GET', place)).body).toMatchObject({
        taskState: type === 'ready' ? 'Ready' : 'InProcess',
      });
    },
  );

  it('TASK-14 are named if they are required and missing', async () => {
    const answer = await warehouse.api('POST', '/warehouseTasks/T-1/inTransit', undefined, {
      'transfer-encoding': 'chunked',
    });
    expect(answer).toMatchObject({ status: 400, body: { errors: ['body: found nothing, expected a JSON object'] } });
  });

  it('TASK-14 that end with the connection change nothing', async () => {
    await exchange('T-1', 'inProcess', ['Transfer-Encoding: chunked'], null);
    expect(await warehouse.task('T-1')).toMatchObject({ taskState: 'Ready' });
  });

  it('TASK-12 with more bytes after their end are answered as usual, and the connection ends', async () => {
    const body = '{"userName":"ann"}';
    const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`];
    const answer = await exchange('longer', 'inProcess', headers, `${body}, "more": 1}`);
    expect(answer).toMatch(/^HTTP\/1\.1 202 /);
    expect(answer).not.toContain('400');
    expect(await warehouse.task('longer')).toMatchObject({ taskState: 'InProcess', userName: 'ann' });
  });

  it('TASK-14 that are compressed are refused with 415', async () => {
    const body = gzipSync(JSON.stringify({ userName: 'ann' }));
    const answer = await warehouse.api('POST', '/warehouseTasks/T-1/inProcess', body, { 'content-encoding': 'gzip' });
    expect(answer).toMatchObject({ status: 415, body: { errors: ['Content-Encoding: found "gzip", expected none'] } });
  });

  it.each(['  ', 'a\u0000b', 'ann\n'])('TASK-13, TASK-14 with the operator %j are refused', async (userName) => {
    const { status, body } = await warehouse.operate('T-1', 'inProcess', { userName });
    const found = JSON.stringify(userName);
    expect({ status, body }).toEqual({
      status: 400,
      body: { errors: [`userName: found ${found}, expected text on one line that is not blank`] },
    });
    expect(await warehouse.task('T-1')).toMatchObject({ taskState: 'Ready', userName: null });
  });

  it('TASK-14 of fifty thousand fields are refused in one sentence', async () => {
    const fields = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`field${index}`, index]));
    const answer = await warehouse.operate('T-1', 'inProcess', fields);
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: ['body: found more, expected at most 12000 values'] },
    });
    const some = Object.fromEntries(Object.entries(fields).slice(0, 500));
    const { body } = await warehouse.operate('T-1', 'inProcess', some);
    expect(Object(body).errors).toHaveLength(100);
  });

  it('TASK-14 with half a character are refused', async () => {
    const answer = await warehouse.operate('T-1', 'inProcess', '{"userName":"\\ud800"}');
    expect(answer).toMatchObject({ status: 400, body: { errors: ['body: found \\ud800, expected whole characters'] } });
  });
});

describe('ids in a path', () => {
  it.each([
    ['/warehouseTasks/', /^\{"errors":\["No warehouse task with id x/],
    ['/coils/', /^\{"errors":\["No coil with id x/],
    ['/profiles/', /"\w+: found 257 characters, expected at most 256"/],
  ])('TASK-04, COIL-03 of more than 256 characters are not found: %s', async (place, refusal) => {
    const { status, text } = await warehouse.api('GET', `${place}${'x'.repeat(257)}`);
    expect({ status, text }).toEqual({ status: 404, text: expect.stringMatching(refusal) });
  });
});

describe('queries', () => {
  it.each(['/coils?location=%C4', '/coils/search?q=%zz', '/warehouseTasks?destinationLocation=%ED%A0%80'])(
    'TASK-02, COIL-02 that are no UTF-8 are refused: %s',
    async (place) => {
      const answer = await warehouse.api('GET', place);
      const errors = ['query: found an invalid percent-encoding, expected UTF-8 as %XX'];
      expect(answer).toMatchObject({ status: 400, body: { errors } });
    },
  );
});
