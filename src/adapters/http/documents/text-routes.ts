import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import Router from '@koa/router';
import { tarArchive } from '../../../runtime/tar-archive.ts';
import type { UnreadAnswers } from '../answers/unread-answers.ts';
import { MANUAL_PATH, manualIndex } from './manual-index.ts';
import { SAMPLES_ARCHIVE_PATH, SAMPLES_PATH, sampleIndex } from './sample-index.ts';
import type { TextFiles } from './text-files.ts';

export interface ServedTexts {
  readonly manual: TextFiles;
  readonly samples: TextFiles;
}

/** The manual and the firmware samples, from memory: a page that lists them, each as plain text, and all samples at once. */
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
  let archive: Promise<Buffer> | null = null;
  router.get(SAMPLES_ARCHIVE_PATH, async (context) => {
    archive ??= sampleArchive(samples);
    unread.share(context.res);
    context.type = 'application/gzip';
    context.body = await archive;
  });
  return router;
}

/** All samples in one folder. Scripts can be run when they are unpacked, which a single download cannot say. */
function sampleArchive(samples: TextFiles): Promise<Buffer> {
  const files = [...samples].map(([name, content]) => {
    const isScript = content.subarray(0, 2).toString() === '#!';
    return { name: `plantgate-samples/${name}`, content, mode: isScript ? 0o755 : 0o644 };
  });
  return promisify(gzip)(tarArchive(files, new Date()));
}

function folderRoutes(place: string, index: string, files: TextFiles) {
  return [
    [place, 'text/html; charset=utf-8', Buffer.from(index)] as const,
    ...[...files].map(([name, text]) => [`${place}/${name}`, 'text/plain; charset=utf-8', text] as const),
  ];
}
