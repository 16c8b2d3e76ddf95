/** Readers of a topic: none, connected ones, or also a persistent session with QoS 1 or 2, for which messages are kept. */
export type Interest = 'none' | 'live' | 'kept';

interface Node {
  children: Map<string, Node> | null;
  /** The number of readers with the filter that ends here. */
  live: number;
  kept: number;
}

/** A look-up visits this many nodes at most; a topic that needs more counts as wanted. */
const MAX_VISITS = 256;
/** The memory that one level of one filter takes, at most. */
const NODE_BYTES = 300;

function newNode(): Node {
  return { children: null, live: 0, kept: 0 };
}

/** The memory that a filter takes, at most: its text, and a node for each of its levels. */
export function filterBytes(filter: string): number {
  return 2 * filter.length + NODE_BYTES * filter.split('/').length;
}

/** All filters of all readers, as a tree of levels. It tells whether any reader wants a topic, not which one. */
export class FilterIndex {
  readonly #root = newNode();
  #generation = 0;
  #filters = 0;
  #visitsLeft = 0;

  /** Changes whenever the interest in a topic may change. */
  get generation(): number {
    return this.#generation;
  }

  get isEmpty(): boolean {
    return this.#filters === 0;
  }

  /** With `isKept` a persistent session has the filter with QoS 1 or 2. */
  add(filter: string, isKept: boolean): void {
    let node = this.#root;
    for (const level of filter.split('/')) {
      node.children ??= new Map();
      const child = node.children.get(level) ?? newNode();
      node.children.set(level, child);
      node = child;
    }
    this.#count(node, isKept, 1);
  }

  /** Removes the filter that was added with the same arguments. */
  remove(filter: string, isKept: boolean): void {
    const path: { readonly parent: Node; readonly level: string }[] = [];
    let node = this.#root;
    for (const level of filter.split('/')) {
      const child = node.children?.get(level);
      if (child === undefined) return;
      path.push({ parent: node, level });
      node = child;
    }
    this.#count(node, isKept, -1);
    for (const { parent, level } of path.reverse()) {
      const child = parent.children?.get(level);
      if (child === undefined || child.live + child.kept > 0 || child.children !== null) return;
      parent.children?.delete(level);
      if (parent.children?.size === 0) parent.children = null;
    }
  }

  interest(topic: string): Interest {
    if (this.isEmpty) return 'none';
    this.#visitsLeft = MAX_VISITS;
    const found = this.#search(this.#root, topic.split('/'), 0);
    return found === KEPT ? 'kept' : found === LIVE ? 'live' : 'none';
  }

  #search(node: Node, levels: readonly string[], depth: number): number {
    if (--this.#visitsLeft < 0) return KEPT;
    const level = levels[depth];
    const { children } = node;
    if (children === null) return level === undefined ? wantedAt(node) : NONE;
    // Wildcards at the front do not match topics that start with $ (MQTT-4.7.2-1).
    const allowsWildcards = depth > 0 || level?.startsWith('$') !== true;
    let best = allowsWildcards ? wantedAt(children.get('#')) : NONE;
    if (level === undefined) return Math.max(best, wantedAt(node));
    for (const name of allowsWildcards ? [level, '+'] : [level]) {
      const child = best === KEPT ? undefined : children.get(name);
      if (child !== undefined) best = Math.max(best, this.#search(child, levels, depth + 1));
    }
    return best;
  }

  #count(node: Node, isKept: boolean, by: 1 | -1): void {
    const before = wantedAt(node);
    if (isKept) node.kept += by;
    else node.live += by;
    this.#filters += by;
    if (wantedAt(node) !== before) this.#generation++;
  }
}

const NONE = 0;
const LIVE = 1;
const KEPT = 2;

function wantedAt(node: Node | undefined): number {
  if (node === undefined) return NONE;
  return node.kept > 0 ? KEPT : node.live > 0 ? LIVE : NONE;
}

/** Remembers for a few topics whether any reader wants them, until a subscription changes. */
export class InterestCache {
  readonly #index: FilterIndex;
  readonly #known = new Map<string, boolean>();
  #generation = -1;

  constructor(index: FilterIndex) {
    this.#index = index;
  }

  wants(topicRoot: string, suffix: string): boolean {
    const { generation } = this.#index;
    if (generation !== this.#generation || this.#known.size > MAX_CACHED_TOPICS) {
      this.#known.clear();
      this.#generation = generation;
    }
    const known = this.#known.get(suffix);
    if (known !== undefined) return known;
    const isWanted = this.#index.interest(`${topicRoot}/${suffix}`) !== 'none';
    this.#known.set(suffix, isWanted);
    return isWanted;
  }
}

/** Topics of which a machine remembers whether a reader wants them. */
const MAX_CACHED_TOPICS = 64;
