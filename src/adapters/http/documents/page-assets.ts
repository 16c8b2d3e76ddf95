/** The style of the documents: light, dark, and on paper. */
export const DOCUMENT_STYLE = `
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
export const DOCUMENT_SCRIPT = `
const search = document.getElementById('search');
const parts = [...document.querySelectorAll('main article, main section:not(:has(article)), main tbody tr:not(:first-child)')];
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
