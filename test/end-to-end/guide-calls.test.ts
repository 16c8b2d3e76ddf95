import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LegacyAgentServer } from '../fakes/legacy-agent-server.ts';
import { Program } from './program.ts';

const KEY = 'key-of-the-erp-0123456789';
const COIL = {
  materialCode: 'G26-WHT',
  description: '26 ga White',
  materialType: 'Galvalume',
  color: 'White',
  gauge: 26,
  widthIn: 41.5625,
  isComplete: false,
  location: 'WH-A1',
  dateIn: '2026-02-20T08:00:00',
  vendorName: 'Great Lakes Coil',
  heatNumber: 'H83000',
  purchaseOrder: 'PO-5100',
};
const { materialType, color, gauge, widthIn } = COIL;
const TASK = {
  machineId: 'RF-01',
  taskType: 'WarehouseToMachine',
  taskState: 'Ready',
  coilType: { coilTypeCode: 'G26-WHT', materialType, color, gauge, widthIn, lbsPerFt: 2.86 },
  sourceLocation: 'WH-A1',
  destinationLocation: 'RF-01',
  requiredDate: '2026-03-02T12:00:00Z',
  preferredCoilIds: ['C-70009'],
};

/** A small plant to which the examples fit, as JSON, which is YAML too. */
const PLANT = JSON.stringify({
  catalogs: [{ catalogId: 1, name: 'Standard', default: true }],
  locations: [
    { code: 'WH-A1', name: 'Rack A1', category: 'Warehouse' },
    { code: 'WH-B2', name: 'Rack B2', category: 'Warehouse' },
    { code: 'RF-01', name: 'Panel line', category: 'Machine' },
  ],
  machines: [
    { machineId: 'RF-01', topicRoot: 'plant1/rf-01', location: 'RF-01', claims: ['service.machine.warehouse'] },
  ],
  reasonCodes: [
    { id: 'OR-1', codeSet: 'OverrideReasons', reason: 'Preferred coil damaged' },
    { id: 'UR-1', codeSet: 'UnattainableReasons', reason: 'Coil not found' },
  ],
  coils: [
    {
      ...COIL,
      coilId: 'C-70009',
      lengthStartFt: 6_000,
      lengthRemainingFt: 5_960,
      currentWeightLbs: 17_046,
      isStarted: true,
    },
    {
      ...COIL,
      coilId: 'C-70010',
      lengthStartFt: 3_000,
      lengthRemainingFt: 3_000,
      currentWeightLbs: 8_580,
      isStarted: false,
    },
  ],
  tasks: [
    { ...TASK, taskId: 'T-1', requiredFt: 2_200 },
    { ...TASK, taskId: 'T-2', requiredFt: 1_200 },
  ],
  apiKeys: [{ principal: 'erp', key: KEY, role: 'business' }],
});

const agent = new LegacyAgentServer({ 'C-70009': 'WH-A1', 'C-70010': 'WH-A1' });
let program: Program;
let guide: string;
beforeAll(async () => {
  await agent.start();
  program = await Program.start({ plant: PLANT, settings: `legacyAgent: { kind: http, url: ${agent.url} }\n` });
  const { text } = await program.get('/docs');
  guide = text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}, 60_000);
afterAll(async () => {
  await program.stop();
  program.cleanUp();
  await agent.stop();
});

/** Times of the gateway's own clock are written with milliseconds; those of the plant are not. */
function withoutOwnTimes(answer: unknown): unknown {
  const text = JSON.stringify(answer).replace(/"\d{4}-[\d-]+T[\d:]+\.\d{3}Z"/g, '"then"');
  return JSON.parse(text.replace(/"cursor":"[0-9a-f]*\.[0-9a-z]+"/, '"cursor":""'));
}

/** One call of `/api/v1` in the guide, with the answer that a gateway gave to it. */
interface PrintedCall {
  readonly method: string;
  /** Below `/api/v1`. */
  readonly path: string;
  readonly body: string | undefined;
  readonly status: number;
  readonly answer: string;
}

/** A call is printed as "What it does: 200", then a line of curl with its answer below. */
const PRINTED = /^.+: (\d{3})(?: without a body)?\n\n```\n(curl .*\/api\/v1(\/[^']*)'.*)\n([\s\S]*?)\n?```$/gm;

const calls = [...readFileSync('docs/connect.md', 'utf8').matchAll(PRINTED)].map(
  ([, status, line = '', place = '', answer = '']): PrintedCall => {
    const body = / -d '(.*)'$/.exec(line)?.[1];
    const method = / -X (\w+) /.exec(line)?.[1] ?? (body === undefined ? 'GET' : 'POST');
    return { method, path: place, body, status: Number(status), answer };
  },
);

/** The id that the gateway gave to the profile of the examples. */
const PROFILE_ID = '50e32af9-5a9a-48d3-939a-8357e8f5fc70';
let profileId = PROFILE_ID;

describe('the calls of the guide', () => {
  it('are all calls of /api/v1 that a client of it makes', async () => {
    const { paths }: { paths: Record<string, object> } = JSON.parse((await program.get('/openapi.json')).text);
    const offered = Object.entries(paths)
      .filter(([path]) => path.startsWith('/api/v1/') && !path.startsWith('/api/v1/sync'))
      .flatMap(([path, operations]) => Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`));
    const shown = calls.map(({ method, path }) => {
      const published = `/api/v1${path.split('?')[0]}`;
      const template = Object.keys(paths).find(
        (one) => one === published || new RegExp(`^${one.replace(/\{\w+\}/g, '[^/]+')}$`).test(published),
      );
      return `${method} ${paths[published] === undefined ? template : published}`;
    });
    expect([...new Set(shown)].sort()).toEqual(offered.sort());
  });

  it.each(calls)('$method $path: the gateway answers as printed', async ({ method, path, body, status, answer }) => {
    const place = path.replace(PROFILE_ID, profileId);
    const got = await fetch(`http://127.0.0.1:${program.httpPort}/api/v1${place}`, {
      method,
      headers: { authorization: `ApiKey ${KEY}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    });
    const text = await got.text();
    expect({ status: got.status, warnings: got.headers.get('plantgate-warnings') }).toEqual({ status, warnings: null });
    if (!/^[[{]/.test(answer)) return expect(text.trimEnd()).toBe(answer.trimEnd());
    const told = JSON.parse(text);
    if (method === 'POST') profileId = told.profileId;
    expect(withoutOwnTimes(JSON.parse(text.replaceAll(profileId, PROFILE_ID)))).toEqual(
      withoutOwnTimes(JSON.parse(answer)),
    );
    expect(guide).toContain(answer);
  });
});

it('COIL-04 the plant data of the guide can be added to an empty gateway, and its coil can be moved', async () => {
  const apiKeys = [{ principal: 'erp', key: KEY, role: 'business' }];
  const plant = JSON.stringify({ locations: [{ code: 'WH-B2', name: 'Rack B2', category: 'Warehouse' }], apiKeys });
  const empty = await Program.start({ plant, settings: 'legacyAgent: { kind: simulated }\n' });
  try {
    const added = [...guide.matchAll(/\/api\/local(\/plant\/\w+)'.* -d '(\{.*\})'/g)];
    expect(added).toHaveLength(3);
    for (const [, place = '', body = ''] of added) {
      expect(await empty.api('POST', place, JSON.parse(body))).toMatchObject({ status: 201 });
    }
    const moved = await fetch(`http://127.0.0.1:${empty.httpPort}/api/v1/coils/C-70009/location`, {
      method: 'POST',
      headers: { authorization: `ApiKey ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ location: 'WH-B2' }),
    });
    expect({ status: moved.status, text: await moved.text() }).toMatchObject({ status: 200 });
  } finally {
    await empty.stop();
    empty.cleanUp();
  }
});
