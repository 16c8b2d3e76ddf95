import { Parser } from '@asyncapi/parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import plantSchema from '../../../../docs/plant.schema.json' with { type: 'json' };
import type { AsyncApiDocument } from '../../../../src/adapters/http/documents/async-api.ts';
import { operationsOf } from '../../../../src/adapters/http/documents/named-schemas.ts';
import { openApi as makeOpenApi } from '../../../../src/adapters/http/documents/open-api.ts';
import type { OpenApiDocument } from '../../../../src/adapters/http/documents/open-api-document.ts';
import { referencePage } from '../../../../src/adapters/http/documents/reference-page.ts';
import { PLANT_FIELDS } from '../../../../src/adapters/http/routes/plant-routes.ts';
import { surfaces } from '../../../../src/adapters/http/surfaces.ts';
import { PLANT_KINDS } from '../../../../src/domain/plant/plant-entry.ts';
import type { GatewayVitals } from '../../../../src/flows/local-api/local-api-ports.ts';
import { type GatewayUnderTest, startGateway, statusOf } from '../gateway-under-test.ts';

let gateway: GatewayUnderTest;
let business: OpenApiDocument;
let local: OpenApiDocument;
/** Both together. */
let openApi: OpenApiDocument;
let asyncApi: AsyncApiDocument;
beforeAll(async () => {
  gateway = await startGateway();
  // The gateway made the documents.
  business = (await gateway.call('GET', '/openapi.json')).body as OpenApiDocument;
  local = (await gateway.call('GET', '/openapi-local.json')).body as OpenApiDocument;
  const schemas = { ...business.components.schemas, ...local.components.schemas };
  openApi = {
    ...business,
    tags: [...business.tags, ...local.tags],
    paths: { ...business.paths, ...local.paths },
    components: { ...business.components, schemas },
  };
  asyncApi = (await gateway.call('GET', '/asyncapi.json')).body as AsyncApiDocument;
});
afterAll(() => gateway.close());

describe('openapi.json', () => {
  it('is OpenAPI 3.1 according to its official schema, and so is openapi-local.json', async () => {
    for (const document of [business, local])
      expect(await new Validator().validate({ ...document })).toEqual({ valid: true });
  });

  it('has everything but the local API, which is in openapi-local.json', () => {
    const isLocal = (document: OpenApiDocument) =>
      new Set(Object.keys(document.paths).map((place) => place.startsWith('/api/local/')));
    expect([isLocal(business), isLocal(local)]).toEqual([new Set([false]), new Set([true])]);
    expect(business.components.schemas).not.toHaveProperty('Downtime');
  });

  it.each([
    ['post', '/api/v1/orders/add', '200', 'Plantgate-Warnings'],
    ['post', '/api/v1/orders/add', '400', 'Plantgate-Errors'],
    ['post', '/api/v1/profiles', '400', 'Plantgate-Errors'],
    ['get', '/api/v1/coils', '429', 'Retry-After'],
    ['get', '/api/machine/profiles', '429', 'Retry-After'],
    ['post', '/api/v1/coils/{coilId}/location', '503', 'Plantgate-Outcome'],
    ['put', '/api/v1/profiles/{profileId}', '409', 'Plantgate-Changed-By'],
  ])('declares of %s %s, status %s, the header %s', (method, path, status, name) => {
    expect(openApi.paths[path]?.[method]?.responses[status]?.headers).toHaveProperty([name, 'description']);
  });

  it('declares Plantgate-Seen-Age of each write, and of no reading', () => {
    for (const [method, path, { parameters = [], security }] of operationsOf(openApi)) {
      if (security.length === 0 || path.startsWith('/api/machine')) continue;
      const isDeclared = parameters.some(({ name }) => name === 'Plantgate-Seen-Age');
      expect(`${method} ${path} ${isDeclared}`).toBe(`${method} ${path} ${method !== 'get'}`);
    }
  });

  /** Every endpoint of the interface and the contract that this gateway serves. */
  it.each([
    ['get', '/api/v1/warehouseTasks'],
    ['get', '/api/v1/warehouseTasks/{taskId}'],
    ['get', '/api/v1/warehouseTasks/reasonCodes'],
    ['get', '/api/v1/warehouseTasks/locations'],
    ['get', '/api/v1/coils'],
    ['get', '/api/v1/coils/search'],
    ['get', '/api/v1/coils/{coilId}'],
    ['get', '/api/v1/orders/orderSummary'],
    ['get', '/api/v1/orders/orderSummaries'],
    ['post', '/api/v1/orders/add'],
    ['delete', '/api/v1/orders/{ordId}'],
    ['get', '/api/v1/profiles'],
    ['post', '/api/v1/profiles'],
    ['get', '/api/v1/profiles/{profileId}'],
    ['put', '/api/v1/profiles/{profileId}'],
    ['delete', '/api/v1/profiles/{profileId}'],
    ['get', '/api/v1/catalogs'],
    ['get', '/api/machine/profiles'],
    ['post', '/api/device/status'],
    ['post', '/api/device/vars'],
  ])('names %s %s', (method, path) => {
    expect(openApi.paths[path]?.[method]).toMatchObject({ operationId: expect.any(String) });
  });

  it('gives each operation its own id, and each operation that needs a key its 401 and 403', () => {
    const operations = Object.values(openApi.paths).flatMap((methods) => Object.values(methods));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const { security, responses } of operations) {
      if (!security.some((scheme) => 'apiKey' in scheme)) continue;
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403', '429', '500', '503']));
    }
  });

  it('is made in small steps, and the reference too, because machines are answered in the same thread', () => {
    const operations = [...operationsOf(openApi)].length;
    expect([...makeOpenApi(surfaces(gateway.options), 'x', 'whole')].length).toBeGreaterThan(operations);
    expect([...referencePage(openApi, asyncApi)].length).toBeGreaterThanOrEqual(operations);
  });

  it('has every route that is served, each with a summary of its own', () => {
    for (const { prefix, routes } of surfaces(gateway.options)) {
      for (const { method, path } of routes) {
        const published = `${prefix}${path === '/' ? '' : path}`.replace(/:(\w+)/g, '{$1}');
        expect(`${method} ${published} ${typeof openApi.paths[published]?.[method.toLowerCase()]}`).toMatch(/ object$/);
      }
    }
    const summaries = [...operationsOf(openApi)].map(([method, path, { summary }]) => ({
      summary,
      of: `${method} ${path}`,
    }));
    const repeated = summaries.filter(
      ({ summary }, place) => summaries.findIndex((one) => one.summary === summary) !== place,
    );
    expect(repeated).toEqual([]);
  });

  it('names its records, and uses no nullable of OpenAPI 3.0', () => {
    for (const name of [
      'Task',
      'Coil',
      'Location',
      'Order',
      'Profile',
      'Feature',
      'Machine',
      'Downtime',
      'Command',
      'Errors',
    ])
      expect(openApi.components.schemas).toHaveProperty(name);
    expect(JSON.stringify(openApi)).not.toContain('"nullable"');
  });
});

it('names the fields of each kind of plant record, the required ones first', () => {
  const schemas: Readonly<Record<string, { readonly required: readonly string[]; readonly properties: object }>> =
    Object.fromEntries(PLANT_KINDS.map((kind) => [kind, plantSchema.properties[kind].items]));
  for (const [kind, fields] of Object.entries(PLANT_FIELDS)) {
    const schema = schemas[kind];
    if (schema === undefined) throw new Error(`the plant file has no ${kind}`);
    const [required = '', optional = ''] = fields.split('; ');
    expect({ kind, required: required.split(', ').sort() }).toEqual({ kind, required: [...schema.required].sort() });
    const all = [...required.split(', '), ...optional.split(', ')].filter((name) => name !== '');
    expect({ kind, all: all.sort() }).toEqual({ kind, all: Object.keys(schema.properties).sort() });
  }
});

describe('asyncapi.json', () => {
  it('is AsyncAPI 3 according to its own parser, without an error or a warning', async () => {
    const { document, diagnostics } = await new Parser().parse(JSON.stringify(asyncApi));
    // It recommends 3.1, which changes nothing for MQTT, and which fewer generators read.
    expect(diagnostics.filter(({ code }) => code !== 'asyncapi-latest-version')).toEqual([]);
    expect(document?.version()).toBe('3.0.0');
    expect(document?.operations().all().length).toBe(Object.keys(asyncApi.operations).length);
  });

  it.each([
    [{ port: 4_883, tlsPort: null }, { gateway: { host: 'localhost:4883', protocol: 'mqtt' } }],
    [
      { port: 4_883, tlsPort: 8_884 },
      {
        gateway: { host: 'localhost:4883', protocol: 'mqtt' },
        gatewayTls: { host: 'localhost:8884', protocol: 'mqtts' },
      },
    ],
  ])('names the ports that the broker listens on: %o', async (ports, servers) => {
    const broker = () => ({ ...gateway.options.vitals.broker(), ports });
    const vitals: GatewayVitals = { ...gateway.options.vitals, broker };
    const own = await startGateway({ options: { vitals } });
    const { body } = await own.call('GET', '/asyncapi.json');
    expect(body).toMatchObject({ servers });
    // The gateway made the document.
    expect(Object.keys((body as AsyncApiDocument).servers)).toEqual(Object.keys(servers));
    await own.close();
  });

  it('P-EXPIRY, P-CONTENT, P-CORRELATION, P-RESPONSE has the properties of MQTT 5 in its bindings', () => {
    const { channels, operations } = asyncApi;
    expect(operations.command?.bindings.mqtt).toMatchObject({ qos: 1, retain: false, messageExpiryInterval: 60 });
    expect(operations.runEnabled?.bindings.mqtt).toMatchObject({ messageExpiryInterval: 60 });
    expect(operations.status?.bindings.mqtt).not.toHaveProperty('messageExpiryInterval');
    expect(channels.command?.messages.message?.bindings?.mqtt).toMatchObject({
      contentType: 'application/json',
      payloadFormatIndicator: 1,
      correlationData: { type: 'string' },
    });
    expect(channels.status?.messages.message?.bindings?.mqtt).toMatchObject({
      correlationData: { type: 'string' },
      responseTopic: { type: 'string' },
    });
    expect(asyncApi.info.description).toMatch(/3\.1\.1, 5/);
  });

  it('MQTT-01 to MQTT-08 names every topic of the interface', () => {
    const topics = Object.values(asyncApi.channels).map(({ address }) => address.replace('{topicRoot}/', ''));
    expect(topics.sort()).toEqual([
      'attention-needed',
      'command',
      'command/attention-needed',
      'command/run-enabled',
      'lwt',
      'online',
      'run-enabled',
      'status',
      'status/{fieldName}',
      'vars',
      'vars/{variableName}',
    ]);
  });
});

describe('the page', () => {
  it('shows every operation and every topic, and loads nothing from other servers', async () => {
    const { text, headers } = await gateway.call('GET', '/docs/reference');
    expect(headers['content-type']).toContain('text/html');
    for (const [path, methods] of Object.entries(openApi.paths)) {
      for (const method of Object.keys(methods)) expect(text).toContain(`${method.toUpperCase()} ${path}`);
    }
    for (const { address } of Object.values(asyncApi.channels)) expect(text).toContain(address);
    for (const [, anchor] of text.matchAll(/href="#([^"]+)"/g)) expect(text).toContain(`id="${anchor}"`);
    for (const name of Object.keys(openApi.components.schemas)) expect(text).toContain(`id="record-${name}"`);
    expect(text.replace('<script src="/docs.js" defer></script>', '')).not.toMatch(/<script|https?:\/\/|style=/);
    expect((await gateway.call('GET', '/docs.css')).headers['content-type']).toContain('text/css');
  });

  it('shows nested objects with their fields, and the value that counts where a parameter is left out', async () => {
    const { text } = await gateway.call('GET', '/docs/reference');
    const article = (id: string) => text.slice(text.indexOf(`<article id="${id}"`)).split('</article>')[0] ?? '';
    for (const part of ['Customer', 'Schedule', 'UserData', 'Product', 'Tooling', 'Material', 'Bundle', 'Item'])
      expect(text).toContain(`href="#record-Order${part}"`);
    for (const field of ['quantity', 'partLengthIn', 'pieceMark']) expect(article('record-OrderItem')).toContain(field);
    expect(article('get_coils')).toContain('100 where it is left out');
  });

  it('prints no text of the reference twice', async () => {
    const { text } = await gateway.call('GET', '/docs/reference');
    // Shorter ones are types, which come wherever they are used.
    const sentences = [...text.matchAll(/<(?:p|td)>([^<]{36,})</g)]
      .map(([, found = '']) => found)
      .filter((found) => !/^number from|left out$/.test(found));
    expect(sentences.length).toBeGreaterThan(100);
    expect(sentences.filter((sentence, place) => sentences.indexOf(sentence) !== place)).toEqual([]);
  });

  it('is a guide first, with this gateway’s own addresses and machines', async () => {
    const { text } = await gateway.call('GET', '/docs', undefined, { host: 'localhost:4711' });
    for (const part of ['http://localhost:4711/api/device/status', '-p 1883', 'plant1/RF-01', 'RF-02'])
      expect(text).toContain(part);
    const anchors = [...text.matchAll(/href="#([\w-]+)"/g)].map(([, anchor]) => anchor);
    for (const anchor of anchors) expect(text).toContain(`id="${anchor}"`);
  });

  it('tells curl the content type in each line that sends JSON to the business interface', async () => {
    const { text } = await gateway.call('GET', '/docs');
    const sent = text.split('\n').filter((line) => line.includes('/api/v1/') && line.includes(' -d '));
    expect(sent.length).toBeGreaterThan(5);
    for (const line of sent) expect(line).toContain('-H &#39;Content-Type: application/json&#39;');
  });

  it('uses a machine of which no message came yet in its examples, or one that is not set up', async () => {
    const own = await startGateway();
    const exampleOf = async () => / -t ([\w/-]+)\/status -m/.exec((await own.call('GET', '/docs')).text)?.[1];
    const first = await exampleOf();
    expect(first).toBe('plant1/RF-01');
    for (const { machineId } of own.options.machines()) {
      expect(await exampleOf()).not.toBe('plant1/my-machine');
      await own.postStatus(statusOf({ machineId }));
    }
    expect(await exampleOf()).toBe('plant1/my-machine');
    await own.close();
  });

  it.each([
    ['known', '-i MY-01</code>'],
    ['password', '-i MY-01 -u MY-01 -P PASSWORD</code>'],
  ] as const)(
    'with mqtt.access %s it hides the names of machines, and says how to log in',
    async (mqttAccess, login) => {
      const closed = await startGateway({ options: { mqttAccess } });
      const { text } = await closed.call('GET', '/docs');
      expect(text).not.toContain('plant1/RF-01');
      expect(text).toContain(login);
      await closed.close();
      expect((await gateway.call('GET', '/docs')).text).not.toContain('-P PASSWORD');
    },
  );

  it('HTTP-01 shows curl lines for devices that work as printed', async () => {
    const { text } = await gateway.call('GET', '/docs', undefined, { host: `127.0.0.1:${gateway.port}` });
    const [, url = '', body = ''] =
      /curl -s (\S+) -d '([^']+)'/.exec(text.replaceAll('&quot;', '"').replaceAll('&#39;', "'")) ?? [];
    const answer = await fetch(url, { method: 'POST', body });
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status: 200,
      body: { machineId: 'RF-01' },
    });
  });
});
