import { htmlText as text } from '../../../domain/html-text.ts';

/** A table; an empty text without rows. Cells are HTML. */
export function table(caption: string, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const head = heads.map((name) => `<th>${text(name)}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n');
  const title = caption === '' ? '' : `<caption>${text(caption)}</caption>`;
  return `<table>${title}<thead><tr>${head}</tr></thead>\n<tbody>${body}</tbody></table>`;
}

export interface HtmlPage {
  readonly title: string;
  /** HTML of the list of places beside the text. */
  readonly navigation: string;
  readonly main: string;
}

/**
 * A page of the documents: the style and the search are files of this gateway, and no file comes from another server.
 */
export function htmlPage({ title, navigation, main }: HtmlPage): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)}</title>
<link rel="icon" href="/favicon.svg">
<link rel="stylesheet" href="/docs.css">
<script src="/docs.js" defer></script>
<body>
<nav aria-label="Contents">
<label>Search <input type="search" id="search" autocomplete="off"></label>
${navigation}</nav>
<main>
<p id="nothing" hidden>Nothing found. Try fewer words.</p>
${main}
</main>
</body>
</html>
`;
}
