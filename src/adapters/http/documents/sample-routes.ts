import Router from '@koa/router';
import type { UnreadAnswers } from '../answers/unread-answers.ts';
import { htmlPage } from './html.ts';
import type { SampleFiles } from './sample-files.ts';

export const SAMPLES_PATH = '/docs/samples';

/** The firmware samples, from memory: a page that lists them, and each as plain text. */
export function sampleRoutes(files: SampleFiles, unread: UnreadAnswers): Router {
  const router = new Router();
  const served: readonly (readonly [path: string, type: string, body: Buffer])[] = [
    [SAMPLES_PATH, 'text/html; charset=utf-8', Buffer.from(indexPage([...files.keys()]))],
    ...[...files].map(([name, text]) => [`${SAMPLES_PATH}/${name}`, 'text/plain; charset=utf-8', text] as const),
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

function indexPage(names: readonly string[]): string {
  const folders = Map.groupBy(names, (name) => (name.includes('/') ? (name.split('/')[0] ?? '') : ''));
  return htmlPage({
    title: 'plantgate: firmware samples',
    navigation:
      '<strong>Firmware samples</strong>\n<a href="/docs">How to connect</a>\n<a href="/docs/reference">Reference</a>',
    main: `<h1>Firmware samples</h1>
<p>Each connects one machine. Read <a href="${SAMPLES_PATH}/README.md">README.md</a> first: it says which one fits which
controller, and how to test it.</p>
${[...folders].map(([folder, inside]) => folderArticle(folder, inside)).join('\n')}`,
  });
}

function folderArticle(folder: string, names: readonly string[]): string {
  const links = names.map((name) => `<li><a href="${SAMPLES_PATH}/${name}">${name}</a></li>`).join('\n');
  if (folder === '') return `<ul>${links}</ul>`;
  return `<article><h3>${folder}</h3><p>${FOLDERS[folder] ?? ''}</p><ul>\n${links}\n</ul></article>`;
}
