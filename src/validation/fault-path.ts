/** The place of a value in a document: keys and places from the root. */
export type Path = readonly (string | number)[];

/** `['machines', 3, 'topicRoot']` as `machines[3].topicRoot`; a key that is no plain word is quoted. */
export function pathText(path: Path): string {
  if (path.length === 0) return '(root)';
  const text = path.map((segment) => {
    if (typeof segment === 'number') return `[${segment}]`;
    return /^[A-Za-z_][\w-]*$/.test(segment) ? `.${segment}` : `[${JSON.stringify(segment)}]`;
  });
  return text.join('').replace(/^\./, '');
}

/** Reads a text of `pathText` with plain words and places. */
export function parsePath(text: string): Path {
  return [...text.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, place, key]) =>
    place === undefined ? (key ?? '') : Number(place),
  );
}
