import type { TSchema } from 'typebox';
import type { SlicedWork } from '../../../domain/sliced-work.ts';
import type { ApiRoute, Caller } from '../requests/api-route.ts';
import { LOCAL_PREFIX } from '../routes/local-routes.ts';
import { CSV } from '../routes/shapes.ts';
import { ERRORS_OBJECT, MAX_REQUEST_KEY_LENGTH, REQUEST_KEY_HEADER, type Surface } from '../surface-router.ts';
import { DEVICE_PATHS } from './device-paths.ts';
import { MACHINE_PATHS } from './machine-paths.ts';
import { withNamedSchemas } from './named-schemas.ts';
import type { Content, OpenApiDocument, Operation, Parameter } from './open-api-document.ts';
import { SEEN_AGE, withHeaders } from './open-api-headers.ts';

/** The meaning of each status code, the same for all routes. */
export const STATUS_TEXT: Readonly<Record<string, string>> = {
  200: 'Done',
  201: 'Made',
  202: 'Accepted: the change is stored',
  204: 'Done, nothing to say',
  400: 'The request is wrong: the body says where',
  401: 'No valid key',
  403: 'The key’s role, or the machine’s licence, does not permit it',
  404: 'No record has that id',
  409: 'It does not go together with what there is',
  413: 'The body is too large',
  415: 'The body has another type than it must have',
  422: 'Another request was done under this Idempotency-Key',
  429: 'Too many requests: wait as long as Retry-After says',
  500: 'A fault of the gateway',
  503: 'Cannot be done at the moment; nothing was changed',
};

/** Answers that every operation behind a key may give. */
const COMMON: readonly (readonly [status: string, isAboutKeys: boolean])[] = [
  ['400', false],
  ['401', true],
  ['403', true],
  ['429', false],
  ['500', false],
  ['503', false],
];

/** Refusals of a body before it is parsed. */
const BODY_STATUSES = ['413', '415'] as const;

/** Refusals of a record that a path, a query or a body names. */
const LOCAL_STATUSES = ['404', '409'] as const;

/** Refusals of a key. */
const KEY_STATUSES = ['422'] as const;

const REQUEST_KEY: Parameter = {
  name: REQUEST_KEY_HEADER,
  in: 'header',
  required: false,
  description:
    'Names the request. A repetition of a completed request gets the first answer and changes nothing. A refused or failed request is tried again.',
  schema: { type: 'string', minLength: 1, maxLength: MAX_REQUEST_KEY_LENGTH, pattern: '^[!-~]+$' },
};

/**
 * The interface as OpenAPI 3.1, made from the schemas that validate it. `business`: the business interface, the device
 * endpoints and the machine delivery; `local`: the calls of the page and the command line; `whole`: both.
 */
export function* openApi(surfaces: readonly Surface[], version: string, scope: Scope): SlicedWork<OpenApiDocument> {
  const paths = yield* pathsOf(surfaces.filter(({ prefix }) => isInScope(prefix, scope)));
  const all = scope === 'local' ? paths : { ...paths, ...DEVICE_PATHS, ...MACHINE_PATHS };
  const tags = new Set(Object.values(all).flatMap((operations) => Object.values(operations).flatMap((of) => of.tags)));
  const document = {
    openapi: '3.1.1',
    info: {
      title: scope === 'local' ? 'plantgate, local' : 'plantgate',
      version,
      description: DESCRIPTIONS[scope],
      contact: { name: 'The operators of this gateway' },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/', description: 'This gateway' }],
    tags: [...tags].map((name) => ({ name, description: TAGS[name] ?? name })),
    paths: all,
  } as const;
  const { session, machine, ...ofKeys } = SECURITY_SCHEMES;
  const securitySchemes = {
    ...ofKeys,
    ...(scope !== 'business' && { session }),
    ...(scope !== 'local' && { machine }),
  };
  return yield* withNamedSchemas(document, { securitySchemes });
}

type Scope = 'business' | 'local' | 'whole';

function isInScope(prefix: string, scope: Scope): boolean {
  return scope === 'whole' || (prefix === LOCAL_PREFIX) === (scope === 'local');
}

function* pathsOf(surfaces: readonly Surface[]): SlicedWork<OpenApiDocument['paths']> {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const surface of surfaces) {
    for (const route of surface.routes) {
      const path = pathOf(surface, route);
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(surface, route, path) };
      yield;
    }
  }
  return paths;
}

const DESCRIPTIONS = {
  business: 'Devices, warehouse tasks, coils, orders, profiles, and the delivery of profiles to machines.',
  local: 'The calls of the gateway’s own page and command line.',
  whole: 'Devices, warehouse tasks, coils, orders, profiles; and the gateway’s own page and command line.',
} as const;

const TAGS: Readonly<Record<string, string>> = {
  devices: 'Statuses and process variables of devices',
  machine: 'Profiles for machines that fetch them',
  warehouseTasks: 'Coils to machines and back',
  coils: 'The inventory of coils',
  orders: 'Orders of the ERP',
  profiles: 'The library of cross-sections',
  catalogs: 'The catalogs of the library',
  changes: 'What has changed, so that no list has to be polled',
  sync: 'Batches of other gateways',
  local: 'The page and the command line',
};

const SECURITY_SCHEMES = {
  apiKey: { type: 'apiKey', in: 'header', name: 'Authorization', description: '`ApiKey ` and the key' },
  session: { type: 'apiKey', in: 'cookie', name: 'plantgate-session', description: 'A person at the page' },
  machine: { type: 'http', scheme: 'basic', description: 'serial number and registration key of a machine' },
};

function roleText(role: Caller): string {
  if (role === 'anyone') return 'Without a key.';
  return role === 'known'
    ? 'For any key, and for everybody who is signed in.'
    : `For keys of the role ${role} or more.`;
}

function pathOf({ prefix }: Surface, { path }: ApiRoute): string {
  return `${prefix}${path === '/' ? '' : path}`.replace(/:(\w+)/g, '{$1}');
}

function operationOf(surface: Surface, route: ApiRoute, path: string): Operation {
  const { method, role, body, repeat, description } = route;
  const names = path.split('/').filter((part) => part !== '' && part !== 'api' && part !== 'v1');
  const moreStatuses = [
    ...(body === null ? [] : BODY_STATUSES),
    ...(repeat === null ? [] : KEY_STATUSES),
    ...(surface.prefix === LOCAL_PREFIX ? LOCAL_STATUSES : []),
  ];
  return {
    operationId: [method.toLowerCase(), ...names.map((name) => name.replace(/\W/g, ''))].join('_'),
    summary: description.summary,
    description: roleText(role),
    tags: [names[0] ?? 'api'],
    security:
      role === 'anyone' ? [] : surface.prefix === LOCAL_PREFIX ? [{ apiKey: [] }, { session: [] }] : [{ apiKey: [] }],
    parameters: [
      ...pathParameters(path),
      ...queryParameters(route.query),
      ...(repeat === null ? [] : [REQUEST_KEY]),
      ...(method === 'GET' || role === 'anyone' ? [] : [SEEN_AGE]),
    ],
    ...(body !== null && {
      requestBody: { required: !body.isOptional, content: contentOf(body.schema) },
    }),
    responses: withHeaders(surface, route, withCsv(route, responsesOf(surface, moreStatuses, description.answers))),
  };
}

function pathParameters(path: string): readonly Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    return { name, in: 'path', required: true, schema: { type: 'string' } } as const;
  });
}

function queryParameters(query: TSchema): readonly Parameter[] {
  const { properties = {}, required = [] } = query as {
    readonly properties?: Readonly<Record<string, TSchema>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => {
    // A field with a default may be left out of a request, although answers always have it.
    return { name, in: 'query', required: required.includes(name) && !('default' in schema), schema } as const;
  });
}

function responsesOf(
  surface: Surface,
  more: readonly string[],
  answers: Readonly<Record<number, TSchema | null>>,
): Operation['responses'] {
  const common = COMMON.map(([status, isAboutKeys]) => {
    return [status, isAboutKeys ? ERRORS_OBJECT : surface.errorSchema] as const;
  });
  const ofBody = more.map((status) => [status, surface.errorSchema] as const);
  const all = new Map<string, TSchema | null>([...common, ...ofBody, ...Object.entries(answers)]);
  return Object.fromEntries(
    [...all].sort().map(([status, schema]) => {
      const description = STATUS_TEXT[status] ?? status;
      return [status, schema === null ? { description } : { description, content: contentOf(schema) }];
    }),
  );
}

/** Adds CSV to the answer of a list that can be had as a spreadsheet. */
function withCsv({ query }: ApiRoute, responses: Operation['responses']): Operation['responses'] {
  const { properties = {} } = query as { readonly properties?: object };
  const done = responses['200'];
  if (!('format' in properties) || done === undefined) return responses;
  return { ...responses, 200: { ...done, content: { ...done.content, ...contentOf(CSV) } } };
}

function contentOf(schema: TSchema): Content {
  return { [mediaTypeOf(schema)]: { schema } };
}

/** YAML is sent as text, as the interface says. */
function mediaTypeOf(schema: TSchema): string {
  const { contentMediaType: type } = schema as { readonly contentMediaType?: string };
  if (type === undefined) return 'application/json';
  return type === 'application/yaml' ? 'text/plain;charset=UTF-8' : type;
}
