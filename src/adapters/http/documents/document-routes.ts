import Router from '@koa/router';
import type { UnreadAnswers } from '../answers/unread-answers.ts';
import type { Surface } from '../surface.ts';
import { asyncApi } from './async-api.ts';
import { DOCUMENT_STYLE, documentPage } from './document-page.ts';
import { openApi } from './open-api.ts';

/** The interfaces described: for programs, and on one page for people (contract.md, Local API). Made when first asked for. */
export function documentRoutes(surfaces: readonly Surface[], version: string, unread: UnreadAnswers): Router {
  const router = new Router();
  const served: readonly (readonly [path: string, type: string, make: () => string])[] = [
    ['/openapi.json', 'application/json', () => JSON.stringify(openApi(surfaces, version), null, 1)],
    ['/asyncapi.json', 'application/json', () => JSON.stringify(asyncApi(version), null, 1)],
    ['/docs', 'text/html; charset=utf-8', () => documentPage(openApi(surfaces, version), asyncApi(version))],
    ['/docs.css', 'text/css; charset=utf-8', () => DOCUMENT_STYLE],
  ];
  for (const [path, type, make] of served) {
    // One buffer for all requests: an unread answer costs no memory of its own.
    let made: Buffer | null = null;
    router.get(path, (context) => {
      made ??= Buffer.from(make());
      unread.share(context.res);
      context.type = type;
      context.body = made;
    });
  }
  return router;
}
