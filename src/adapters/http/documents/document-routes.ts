import type { IncomingMessage } from 'node:http';
import Router from '@koa/router';
import { BoundedCache } from '../../../domain/bounded-cache.ts';
import type { Machine } from '../../../domain/plant/plant.ts';
import type { GatewayVitals } from '../../../flows/local-api/local-api-ports.ts';
import { programFile } from '../../../runtime/program-files.ts';
import { inSlices } from '../../../runtime/slice.ts';
import type { UnreadAnswers } from '../answers/unread-answers.ts';
import { originOf } from '../requests/client.ts';
import type { Surface } from '../surface-router.ts';
import { asyncApi } from './async-api.ts';
import type { Guide, GuideFacts, GuideMachine } from './guide.ts';
import { referencePage } from './reference-page.ts';

export interface DocumentOptions {
  readonly version: string;
  readonly vitals: Pick<GatewayVitals, 'broker'>;
  readonly machines: () => readonly Machine[];
  /** Whether no message of the machine came yet: the examples must not count for a machine at work. */
  readonly isUnheard: (machineId: Machine['machineId']) => boolean;
  readonly mqttAccess: GuideFacts['mqttAccess'];
}

/** The number of machines that the guide shows, because a plant may have a thousand. */
const MAX_SHOWN_MACHINES = 50;
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
  let rendered: Promise<Guide> | null = null;
  router.get('/docs', async (context) => {
    const facts = factsOf(context.req, options);
    const key = JSON.stringify(facts);
    rendered ??= import('./guide.ts').then(({ guideOf }) =>
      inSlices(guideOf(programFile('docs/connect.md').toString())),
    );
    const guide = guides.get(key) ?? Buffer.from((await rendered)(facts));
    guides.set(key, guide);
    unread.share(context.res);
    context.type = 'text/html; charset=utf-8';
    context.body = guide;
  });
  return router;
}

/** The addresses by which the reader came. Host is one of the gateway's own: others were refused before. */
function factsOf(request: IncomingMessage, options: DocumentOptions): GuideFacts {
  const { version, vitals, machines, isUnheard, mqttAccess } = options;
  const origin = originOf(request);
  // Every client of an open broker may know the names of the machines.
  const shown = mqttAccess === 'open' ? machines() : [];
  const ports = vitals.broker().ports;
  return {
    origin,
    host: URL.canParse(origin) ? new URL(origin).hostname : 'localhost',
    mqttPort: ports?.port ?? null,
    mqttTlsPort: ports?.tlsPort ?? null,
    mqttAccess,
    machines: shown.slice(0, MAX_SHOWN_MACHINES).map(({ machineId, topicRoot }) => ({ machineId, topicRoot })),
    machineCount: shown.length,
    example: exampleOf(shown.find(({ machineId }) => isUnheard(machineId))),
    version,
  };
}

function exampleOf({ machineId, topicRoot }: GuideMachine = EXAMPLE): GuideMachine {
  return { machineId, topicRoot };
}

/** The style of the documents: light, dark, and on paper. */
const DOCUMENT_STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d5d8dc, #3c4147); --soft: light-dark(#f3f4f6, #22262b); }
* { box-sizing: border-box; }
body { margin: 0; background: light-dark(#fff, #14171a); color: light-dark(#16191d, #e8eaed); font: 16px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 16rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem; border-right: 1px solid var(--line); }
a { color: light-dark(#0b4fc4, #9db8ff); }
nav a, nav strong { display: block; padding: .25rem 0; overflow-wrap: anywhere; }
nav input { width: 100%; font: inherit; padding: .4rem; margin-bottom: 1rem; }
main { padding: 1.5rem 2rem 6rem; max-width: 62rem; }
article { border: 1px solid var(--line); border-radius: .5rem; margin: 1rem 0; padding: 1rem; overflow-x: auto; }
article h3 { margin: 0 0 .25rem; font: 600 1rem/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
article h3 a { color: inherit; text-decoration: none; }
article h3 a:hover { text-decoration: underline; }
article p { margin: .25rem 0; }
h2, h3 { scroll-margin-top: 1rem; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
caption { text-align: left; font-weight: 600; padding: .5rem 0 .25rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-top: 1px solid var(--line); }
th { font-weight: 600; }
code { font-family: ui-monospace, monospace; font-size: .92em; background: var(--soft); padding: 0 .25em; }
pre { background: var(--soft); border-radius: .5rem; padding: .75rem 1rem; overflow-x: auto; }
pre code { padding: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
[hidden] { display: none; }
@media (max-width: 48rem) { body { display: block; } td, th, p, li { overflow-wrap: anywhere; } main table { display: block; overflow-x: auto; } nav { position: static; height: auto; border: 0; } main { padding: 1rem; } }
@media print { body { display: block; } nav { display: none; } main { max-width: none; padding: 0; } article, pre, tr { break-inside: avoid; } }
`;

/** Search: an article or a section without the words is hidden. */
const DOCUMENT_SCRIPT = `
const search = document.getElementById('search');
const parts = [...document.querySelectorAll('main article, main section:not(:has(article)), main tbody tr')];
const texts = new Map(parts.map((part) => [part, part.textContent.toLowerCase()]));
search.addEventListener('input', () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const part of parts) {
    const isRow = part.tagName === 'TR';
    const inside = part.closest('article');
    const heads = isRow && inside !== null ? texts.get(inside) : '';
    part.hidden = !words.every((word) => texts.get(part).includes(word) || (isRow && heads.includes(word)));
  }
  document.getElementById('nothing').hidden = parts.some((part) => !part.hidden);
});
`;
