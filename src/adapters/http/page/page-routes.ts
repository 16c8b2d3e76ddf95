import Router from '@koa/router';
import type { Context } from 'koa';
import type { UnreadAnswers } from '../answers/unread-answers.ts';
import { INDEX, type PageFile, type PageFiles } from './page-files.ts';

/** Addresses of the page's places: the page itself finds its place in them (src/page/app/route.ts). */
const PLACES = [
  '/',
  '/machine/:machineId',
  '/machine/:machineId/part',
  '/machine/:machineId/variables',
  '/stops',
  '/production',
  '/tasks',
  '/task/:taskId',
  '/coils',
  '/coil/:coilId',
  '/orders',
  '/profiles',
  '/profile/:profileId',
  '/new-profile',
  '/plants',
  '/plants/:gatewayId',
  '/sync',
  '/events',
  '/admin',
  '/alerts',
  '/alerts/rules',
  '/alerts/rules/:ruleId',
  '/alerts/who',
  '/set-up',
  '/more',
];
/** The same places in one of several plants (D-108). */
const PLACES_OF_PLANT = PLACES.map((place) => `/plant/:plantId${place === '/' ? '' : place}`);
/** Names of these files change with their content. */
const CONTENT_NAMED = '/assets/';

const NOT_BUILT = 'The page is not built. "npm start" builds it, or "npm run build:page".\nInterfaces: /docs\n';

/** The technician's page, from memory. It needs no key, because its data come from the local API. */
export function pageRoutes(files: PageFiles, unread: UnreadAnswers): Router {
  const router = new Router();
  const index = files.get(INDEX);
  router.get([...PLACES, ...PLACES_OF_PLANT], (context) => {
    // A browser without the page's assets asks again after every update of the gateway.
    context.set('Cache-Control', 'no-cache');
    if (index === undefined) context.body = NOT_BUILT;
    else send(context, index, unread);
  });
  for (const [path, file] of files) {
    if (file === index) continue;
    router.get(path, (context) => {
      const age = path.startsWith(CONTENT_NAMED) ? 'public, max-age=31536000, immutable' : 'no-cache';
      context.set('Cache-Control', age);
      send(context, file, unread);
    });
  }
  return router;
}

/**
 * Answers a browser that was sent to an address that names nothing with the page, which says so. False: the client is no
 * browser, or asks for a part of a page.
 */
export function nowherePage(files: PageFiles, unread: UnreadAnswers): (context: Context) => boolean {
  const index = files.get(INDEX);
  return (context) => {
    const isOpened = context.method === 'GET' && context.get('Accept').includes('text/html');
    if (index === undefined || !isOpened) return false;
    context.set('Cache-Control', 'no-cache');
    send(context, index, unread);
    return true;
  };
}

/** One buffer for all requests: an unread answer costs no memory of its own. */
function send(context: Context, { type, plain, gzip }: PageFile, unread: UnreadAnswers): void {
  unread.share(context.res);
  context.type = type;
  context.vary('Accept-Encoding');
  const isPacked = context.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (isPacked) context.set('Content-Encoding', 'gzip');
  context.body = isPacked ? gzip : plain;
}
