import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STATUS_FIELDS } from '../../../src/domain/machine/status/status-fields.ts';
import { type GatewayUnderTest, machineOf, startGateway, statusOf } from './gateway-under-test.ts';

let gateway: GatewayUnderTest;
let machines = 0;

beforeAll(async () => {
  const ids = Array.from({ length: 100 }, (_, place) => machineOf(`M-${place}`));
  gateway = await startGateway({ machines: [machineOf('RF-01'), ...ids] });
});
afterAll(() => gateway.close());

/** A machine that was not heard yet. */
function freshMachine(): string {
  return `M-${machines++}`;
}

function errorsOf(body: unknown): string {
  return body instanceof Object && 'errors' in body && Array.isArray(body.errors) ? body.errors.join('\n') : '';
}

const WITHOUT_POWER = { machineId: 'RF-01', running: true, override: false, mSecSinceBoot: 1, cycle: 0, goodPart: 0 };

describe('a status over HTTP', () => {
  it('HTTP-01 DEV-19 is answered with a command that names the machine', async () => {
    const { status, body, headers } = await gateway.postStatus(statusOf());
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(body).toEqual({
      machineId: 'RF-01',
      runEnabled: false,
      attentionNeeded: false,
      message: 'Part not selected',
      timestamp: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
    });
  });

  it.each([
    ['DEV-08', { machinePower: false }, 'Machine power is off', false],
    ['DEV-08', { machinePower: undefined }, 'Machine power is off', false],
    ['DEV-09', {}, 'Part not selected', false],
    ['DEV-12 DEV-15', { partId: 'P-100' }, null, false],
    ['DEV-12', { machinePower: false, partId: undefined }, 'Machine power is off', false],
    ['DEV-13', { fault: true, partId: 'P-100' }, null, true],
    ['DEV-14', { override: true }, 'Part not selected', false],
  ])('answers %s %o with the message %s', async (_, overrides, message, attentionNeeded) => {
    const { body } = await gateway.postStatus(statusOf({ machineId: freshMachine(), ...overrides }));
    expect(body).toMatchObject({ runEnabled: message === null, attentionNeeded, message });
  });

  it('DEV-11 asks for a category once a running machine stopped', async () => {
    const machineId = freshMachine();
    await gateway.postStatus(statusOf({ machineId, partId: 'P-100' }));
    const { body } = await gateway.postStatus(
      statusOf({ machineId, partId: 'P-100', running: false, mSecSinceBoot: 2_000 }),
    );
    expect(body).toMatchObject({ runEnabled: false, message: 'Downtime categorization required' });
  });

  it('HTTP-05 feeds the state that MQTT feeds', async () => {
    const machine = machineOf(freshMachine());
    const { machineId } = machine;
    const origin = { transport: 'mqtt', duplicate: false } as const;
    gateway.inbox.status(machineId, JSON.stringify(statusOf({ machineId, partId: 'P-100', goodPart: 5 })), origin);
    const { body } = await gateway.postStatus(
      statusOf({ machineId, partId: 'P-100', goodPart: 7, mSecSinceBoot: 2_000 }),
    );
    expect(body).toMatchObject({ runEnabled: true });
    expect(gateway.registry.get(machineId)?.state.shift.totals.goodParts).toBe(2);
  });

  it('HTTP-04 asks for no key, under any Host', async () => {
    const headers = { host: 'anything.example', authorization: 'ApiKey wrong' };
    expect((await gateway.call('POST', '/api/device/status', statusOf(), headers)).status).toBe(200);
    expect((await gateway.call('POST', '/api/device/vars', { machineId: 'RF-01' }, headers)).status).toBe(200);
  });
});

const SPELLINGS = STATUS_FIELDS.flatMap(({ name, aliases, kind }) =>
  [name, ...aliases].flatMap((spelling) =>
    [
      spelling,
      spelling.toUpperCase(),
      spelling.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      spelling.replaceAll(/[A-Z]/g, (letter) => `-${letter}`),
    ].map((written) => ({ name, kind, written })),
  ),
);

const SAID = { machineId: '', switch: true, count: 7, text: 'X-1', scalar: 3 } as const;

it.each(SPELLINGS)('DEV-03 DEV-04 DEV-20 the gateway reads $written as $name', async ({ name, kind, written }) => {
  const { [name]: _, ...rest } = statusOf({ mSecSinceBoot: gateway.registry.inputs + 1 });
  const value = kind === 'machineId' ? 'RF-01' : SAID[kind];
  const { status, body } = await gateway.postStatus({ ...rest, [written]: value });
  expect({ status, body }).toMatchObject({ status: 200 });
  expect(gateway.registry.get('RF-01')?.state.known[name]).toBe(value);
});

it.each([
  ['canonical first', { machinePower: false, power: true, MACHINE_ON: true }],
  ['canonical last', { power: true, MACHINE_ON: true, machinePower: false }],
])('DEV-05 the gateway lets the canonical name win: %s', async (_, switches) => {
  const machineId = freshMachine();
  const { body } = await gateway.postStatus({ ...statusOf({ machineId, machinePower: undefined }), ...switches });
  expect(body).toMatchObject({ message: 'Machine power is off' });
});

const PADDED_BODIES = [
  ['a byte order mark in front', '\ufeff', ''],
  ['NUL bytes behind', '', '\0\0'],
  ['a line end behind', '', '\r\n'],
] as const;

it.each(PADDED_BODIES)(
  'D-34 the gateway takes a status with %s, and counts it as tolerated',
  async (_, before, behind) => {
    const machineId = freshMachine();
    const body = `${before}${JSON.stringify(statusOf({ machineId }))}${behind}`;
    expect((await gateway.call('POST', '/api/device/status', body)).status).toBe(200);
    expect(gateway.incidents.entries('tolerated')).toContainEqual(
      expect.objectContaining({ subject: machineId, detail: expect.stringContaining('sends payloads with') }),
    );
  },
);

const BAD_BODIES: readonly (readonly [string, string | Buffer, string])[] = [
  ['nothing', '', 'body: found nothing, expected a JSON object'],
  ['broken JSON', '{"machineId":', 'body: invalid JSON'],
  ['text', 'hello', 'body: invalid JSON'],
  ['a list', '[]', 'status: found an array, expected a JSON object'],
  ['null', 'null', 'status: found null, expected a JSON object'],
  ['a number', '5', 'status: found 5, expected a JSON object'],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'body: found bytes that are not UTF-8'],
  ['a body that is cut within a letter', Buffer.from('{"partName":"Blö').subarray(0, -1), 'cut off within a letter'],
  ['gzip', gzipSync(JSON.stringify(statusOf())), 'compressed with gzip'],
  ['the header of an S7 STRING', Buffer.from([0xfe, 0x02, 0x7b, 0x7d]), 'the header of an S7 STRING'],
  ['a count in another form', JSON.stringify(statusOf({ cycle: '16#1F' })), 'it looks like a number with its base'],
  ['fields two levels down', JSON.stringify({ data: { status: statusOf() } }), 'data.status: the fields are inside it'],
  ['UTF-16', Buffer.from('{}', 'utf16le'), 'body: found UTF-16, expected JSON in UTF-8'],
  ['UTF-16 with its mark', Buffer.from('\ufeff{}', 'utf16le'), 'body: found UTF-16, expected JSON in UTF-8'],
  ['big-endian UTF-16', Buffer.from('{}', 'utf16le').swap16(), 'body: found UTF-16, expected JSON in UTF-8'],
  ['deep nesting', '['.repeat(65), 'body: found deeper nesting, expected at most 64 levels'],
  ['machineId missing', JSON.stringify(statusOf({ machineId: undefined })), 'machineId: found nothing'],
  ['a machineId with a slash', JSON.stringify(statusOf({ machineId: 'a/b' })), 'machineId: found "a/b"'],
  ['an unknown machine', JSON.stringify(statusOf({ machineId: 'NOBODY' })), 'machineId: found "NOBODY"'],
  ['another case', JSON.stringify(statusOf({ machineId: 'rf-01' })), 'machineId: found "rf-01"'],
  ['__proto__ as id', JSON.stringify(statusOf({ machineId: '__proto__' })), 'machineId: found "__proto__"'],
];

it.each(BAD_BODIES)('HTTP-02 DEV-02 D-08 D-13 the gateway answers %s with 400 and the reason', async (_, body, why) => {
  const answer = await gateway.call('POST', '/api/device/status', body);
  expect(answer.status).toBe(400);
  expect(errorsOf(answer.body)).toContain(why);
});

it('DEV-01 the gateway names every field that is wrong at once', async () => {
  const { body } = await gateway.postStatus({ ...WITHOUT_POWER, cycle: 'x', running: 2 });
  expect(errorsOf(body).split('\n')).toEqual([
    expect.stringMatching(/^running: /),
    expect.stringMatching(/^cycle: /),
    expect.stringMatching(/^badPart: /),
  ]);
});

it('HTTP-02 the gateway shows the faults of messages in diagnostics', async () => {
  await gateway.call('POST', '/api/device/status', 'not json at all');
  await gateway.postStatus(statusOf({ machineId: 'STRANGER' }));
  expect(gateway.incidents.entries('malformed')).toContainEqual(
    expect.objectContaining({ subject: 'http 127.0.0.1', detail: expect.stringContaining('invalid JSON') }),
  );
  expect(gateway.incidents.entries('unknownDevice')).toContainEqual(expect.objectContaining({ subject: 'STRANGER' }));
});

it.each(['GET', 'PUT', 'DELETE', 'OPTIONS'])('HTTP-01 the gateway refuses %s with 405 and Allow', async (method) => {
  const answer = await gateway.call(method, '/api/device/status');
  expect(answer.status).toBe(405);
  expect(answer.headers.allow).toBe('POST');
});

it.each([
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'application/octet-stream',
  'text/json',
  'application/x-www-form-urlencoded',
  'nonsense',
])('HTTP-01 the gateway takes a status sent as %s: only its body counts', async (type) => {
  const answer = await gateway.call('POST', '/api/device/status', statusOf(), { 'content-type': type });
  expect(answer.status).toBe(200);
});

it.each(['?x=1', '/', '/?a'])('HTTP-01 the gateway takes the path with %s behind it', async (rest) => {
  expect((await gateway.call('POST', `/api/device/status${rest}`, statusOf())).status).toBe(200);
});

it('HTTP-01 the gateway refuses a request that a browser sends for another site', async () => {
  const headers = { 'sec-fetch-site': 'cross-site' };
  expect((await gateway.call('POST', '/api/device/status', statusOf(), headers)).status).toBe(403);
});
