import { htmlPage, text } from './html.ts';
import type { TextFiles } from './text-files.ts';

export const MANUAL_PATH = '/docs/manual';

/** The first heading of a document in Markdown. */
const TITLE = /^# (.+)$/m;

/** A page that lists the documents of the folder `docs` with their titles. */
export function manualIndex(files: TextFiles): string {
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
