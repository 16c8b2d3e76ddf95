import { htmlPage } from './html.ts';

export const SAMPLES_PATH = '/docs/samples';
export const SAMPLES_ARCHIVE_PATH = `${SAMPLES_PATH}.tar.gz`;

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
export function sampleIndex(names: readonly string[]): string {
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
