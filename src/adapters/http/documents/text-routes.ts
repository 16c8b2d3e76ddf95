import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import Router from '@koa/router';
import { htmlText as text } from '../../../domain/html-text.ts';
import { tarArchive } from '../../../runtime/tar-archive.ts';
import type { UnreadAnswers } from '../answers/unread-answers.ts';
import { htmlPage } from './html.ts';
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

const MANUAL_PATH = '/docs/manual';

/** The first heading of a document in Markdown. */
const TITLE = /^# (.+)$/m;

/** A page that lists the documents of the folder `docs` with their titles. */
function manualIndex(files: TextFiles): string {
  const items = [...files].map(([name, content]) => {
    const title = name.endsWith('.md') ? (TITLE.exec(content.toString())?.[1] ?? '') : '';
    return `<li><a href="${MANUAL_PATH}/${name}">${name}</a>${title === '' ? '' : `: ${text(title)}`}</li>`;
  });
  return htmlPage({
    title: 'plantgate: manual',
    navigation: '<strong>Manual</strong>\n<a href="/docs">How to connect</a>\n<a href="/docs/reference">Reference</a>',
    main: `<h1>Manual</h1>
<p>The documents of this version, as plain text. <a href="${MANUAL_PATH}/operate.md">operate.md</a> says how to install,
update, back up and watch the gateway. The files that end in <code>.schema.json</code> let an editor complete and check
the configuration and the plant file.</p>
<ul>\n${items.join('\n')}\n</ul>`,
  });
}

const SAMPLES_PATH = '/docs/samples';
const SAMPLES_ARCHIVE_PATH = `${SAMPLES_PATH}.tar.gz`;

/** The controllers of each folder; `firmware-samples/README.md` says more. */
const FOLDERS: Readonly<Record<string, string>> = {
  c: 'Portable C99, for any controller with a compiler and for Linux',
  codesys: 'IEC 61131-3 structured text: CODESYS, TwinCAT (Beckhoff), Wago, Omron',
  esp32: 'Arduino on an ESP32',
  'node-red': 'A flow to import into Node-RED',
  python: 'Python 3 with paho-mqtt, for a PC beside the machine',
  shell: 'bash with curl, over HTTP',
  siemens: 'SCL for the S7-1500, with LMQTT_Client',
};

/** A page that lists the firmware samples. */
function sampleIndex(names: readonly string[]): string {
  const folders = Map.groupBy(names, (name) => (name.includes('/') ? (name.split('/')[0] ?? '') : ''));
  return htmlPage({
    title: 'plantgate: firmware samples',
    navigation:
      '<strong>Firmware samples</strong>\n<a href="/docs">How to connect</a>\n<a href="/docs/reference">Reference</a>',
    main: `<h1>Firmware samples</h1>
<p>Each connects one machine. Read <a href="${SAMPLES_PATH}/README.md">README.md</a> first: it says which one fits which
controller, and how to test it. <a href="${SAMPLES_ARCHIVE_PATH}">samples.tar.gz</a> has all of them.</p>
${[...folders].map(([folder, inside]) => folderArticle(folder, inside)).join('\n')}`,
  });
}

function folderArticle(folder: string, names: readonly string[]): string {
  const links = names.map((name) => `<li><a href="${SAMPLES_PATH}/${name}">${name}</a></li>`).join('\n');
  if (folder === '') return `<ul>${links}</ul>`;
  return `<article><h3>${folder}</h3><p>${FOLDERS[folder] ?? ''}</p><ul>\n${links}\n</ul></article>`;
}
