import Router from '@koa/router';
import type { UnreadAnswers } from '../answers/unread-answers.ts';
import { MANUAL_PATH, manualIndex } from './manual-index.ts';
import { SAMPLES_PATH, sampleIndex } from './sample-index.ts';
import type { TextFiles } from './text-files.ts';

export interface ServedTexts {
  readonly manual: TextFiles;
  readonly samples: TextFiles;
}

/** The manual and the firmware samples, from memory: a page that lists them, and each as plain text. */
export function textRoutes({ manual, samples }: ServedTexts, unread: UnreadAnswers): Router {
  const router = new Router();
  const served = [
    ...folderRoutes(MANUAL_PATH, manualIndex(manual), manual),
    ...folderRoutes(SAMPLES_PATH, sampleIndex([...samples.keys()]), samples),
  ];
  for (const [path, type, body] of served) {
    // One buffer for all requests: an unread answer costs no memory of its own.
    router.get(path, (context) => {
      unread.share(context.res);
      context.type = type;
      context.body = body;
    });
  }
  return router;
}

function folderRoutes(place: string, index: string, files: TextFiles) {
  return [
    [place, 'text/html; charset=utf-8', Buffer.from(index)] as const,
    ...[...files].map(([name, text]) => [`${place}/${name}`, 'text/plain; charset=utf-8', text] as const),
  ];
}
