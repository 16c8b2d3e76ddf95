import type { IncomingMessage } from 'node:http';
import Router from '@koa/router';
import { BoundedCache } from '../../../domain/bounded-cache.ts';
import type { MachineId } from '../../../domain/machine/machine-id.ts';
import type { Machine } from '../../../domain/plant/plant.ts';
import type { GatewayVitals } from '../../../flows/local-api/local-api-ports.ts';
import { inSlices } from '../../../runtime/slice.ts';
import type { UnreadAnswers } from '../answers/unread-answers.ts';
import { originOf } from '../requests/client.ts';
import type { Surface } from '../surface.ts';
import { asyncApi } from './async-api.ts';
import { type GuideFacts, type GuideMachine, MAX_SHOWN_MACHINES } from './guide/guide-facts.ts';
import { guidePage } from './guide/guide-page.ts';
import { DOCUMENT_SCRIPT, DOCUMENT_STYLE } from './page-assets.ts';
import { referencePage } from './reference-page.ts';

export interface DocumentOptions {
  readonly version: string;
  readonly vitals: Pick<GatewayVitals, 'broker'>;
  readonly machines: () => readonly Machine[];
  /** Whether no message of the machine came yet: the examples must not count for a machine at work. */
  readonly isUnheard: (machineId: MachineId) => boolean;
  /** Whether anybody may know the names of machines, as over an open broker. */
  readonly showsMachines: boolean;
}

/** The number of kept guides: one of 40 kB for each address by which readers come. */
const MAX_GUIDES = 8;

/** The machine of the examples if all machines that may be shown are at work. */
const EXAMPLE = { machineId: 'MY-01', topicRoot: 'plant1/my-machine' } as const;

/** The interfaces described: for people a guide and a reference, for programs two documents (contract.md, Local API). */
export function documentRoutes(surfaces: readonly Surface[], options: DocumentOptions, unread: UnreadAnswers): Router {
  const { version } = options;
  const router = new Router();
  /** Loaded when it is asked for, because few starts need it. Other work passes while the document is made. */
  const described = async (scope: 'business' | 'local' | 'whole') => {
    const { openApi } = await import('./open-api.ts');
    return inSlices(openApi(surfaces, version, scope));
  };
  const mqttPorts = () => options.vitals.broker().ports;
  const served: readonly (readonly [path: string, type: string, make: () => string | Promise<string>])[] = [
    ['/openapi.json', 'application/json', async () => JSON.stringify(await described('business'), null, 1)],
    ['/openapi-local.json', 'application/json', async () => JSON.stringify(await described('local'), null, 1)],
    ['/asyncapi.json', 'application/json', () => JSON.stringify(asyncApi(version, mqttPorts()), null, 1)],
    [
      '/docs/reference',
      'text/html; charset=utf-8',
      async () => inSlices(referencePage(await described('whole'), asyncApi(version, mqttPorts()))),
    ],
    ['/docs.css', 'text/css; charset=utf-8', () => DOCUMENT_STYLE],
    ['/docs.js', 'text/javascript; charset=utf-8', () => DOCUMENT_SCRIPT],
  ];
  for (const [path, type, make] of served) {
    // One buffer for all requests: an unread answer costs no memory of its own.
    let made: Promise<Buffer> | null = null;
    router.get(path, async (context) => {
      made ??= Promise.resolve(make()).then((document) => Buffer.from(document));
      unread.share(context.res);
      context.type = type;
      context.body = await made;
    });
  }
  const guides = new BoundedCache<string, Buffer>(MAX_GUIDES);
  router.get('/docs', (context) => {
    const facts = factsOf(context.req, options);
    const key = JSON.stringify(facts);
    const guide = guides.get(key) ?? Buffer.from(guidePage(facts));
    guides.set(key, guide);
    unread.share(context.res);
    context.type = 'text/html; charset=utf-8';
    context.body = guide;
  });
  return router;
}

/** The addresses by which the reader came. Host is one of the gateway's own: others were refused before. */
function factsOf(request: IncomingMessage, options: DocumentOptions): GuideFacts {
  const { version, vitals, machines, isUnheard, showsMachines } = options;
  const origin = originOf(request);
  const shown = showsMachines ? machines() : [];
  const ports = vitals.broker().ports;
  return {
    origin,
    host: URL.canParse(origin) ? new URL(origin).hostname : 'localhost',
    mqttPort: ports?.port ?? null,
    mqttTlsPort: ports?.tlsPort ?? null,
    machines: shown.slice(0, MAX_SHOWN_MACHINES).map(({ machineId, topicRoot }) => ({ machineId, topicRoot })),
    machineCount: shown.length,
    example: exampleOf(shown.find(({ machineId }) => isUnheard(machineId))),
    version,
  };
}

function exampleOf({ machineId, topicRoot }: GuideMachine = EXAMPLE): GuideMachine {
  return { machineId, topicRoot };
}
