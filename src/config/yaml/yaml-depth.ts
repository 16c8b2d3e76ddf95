import type { CST } from 'yaml';

interface Nested {
  readonly token: CST.Token;
  readonly depth: number;
}

/**
 * The offset at which lists and maps first nest deeper than `maxDepth`, or null. To be called before a document is
 * composed, because composing is recursive, and when the stack ends it tries again at every level above.
 */
export function offsetTooDeep(tokens: readonly CST.Token[], maxDepth: number): number | null {
  const open = tokens.map((token): Nested => ({ token, depth: 0 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.depth > maxDepth) return next.token.offset;
    for (const inner of innerTokens(next)) open.push(inner);
  }
  return null;
}

/** A token's contents. A list or map has the depth of its place, its contents are one level deeper. */
function innerTokens({ token, depth }: Nested): readonly Nested[] {
  if (token.type === 'document') return token.value === undefined ? [] : [{ token: token.value, depth }];
  if (!('items' in token)) return [];
  return token.items
    .flatMap(({ key, value }) => [key, value])
    .flatMap((inner) => (inner ? [{ token: inner, depth: depth + 1 }] : []));
}
