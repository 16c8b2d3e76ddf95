import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { foundText } from '../../domain/error.ts';
import type { Path } from '../../validation/fault-path.ts';
import { MAX_YAML_ALIASES, MAX_YAML_DEPTH, MAX_YAML_VALUES } from './yaml-limits.ts';

/** A value that YAML knows and that a document may not contain. */
export interface ValueFault {
  readonly path: Path;
  readonly offset: number;
  readonly found: string;
  readonly expected: string;
}

/** Reads the plain value of a YAML tree. The value counts only when no fault was found. */
export function readValues(tree: Document): { value: unknown; faults: readonly ValueFault[] } {
  const reader = new ValueReader();
  const value = reader.read(tree.contents, []);
  return { value, faults: reader.faults };
}

class ValueReader {
  readonly faults: ValueFault[] = [];
  readonly #anchors = new Map<string, unknown>();
  #values = 0;
  #aliases = 0;
  #exhausted = false;

  read(node: unknown, path: Path): unknown {
    this.#values++;
    if (this.#exhausted || this.#isTooMuch(node, path)) return undefined;
    if (isAlias(node)) return this.#readAlias(node, path);
    if (isNode(node) && node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isSeq(node)) return this.#readList(node, path);
    if (isMap(node)) return this.#readMap(node, path);
    if (!isScalar(node)) return null;
    this.#judge(node.value, node, path);
    return node.value;
  }

  #readAlias(alias: Alias, path: Path): unknown {
    const target = this.#anchors.get(alias.source);
    if (target !== undefined) return this.read(target, path);
    // Its name is not repeated, because it may be a secret that begins with an asterisk.
    this.#refuse(alias, path, 'an unknown alias', 'an alias of an anchor that stands before it, or a text in quotes');
    return undefined;
  }

  #readList(list: YAMLSeq, path: Path): readonly unknown[] {
    return list.items.map((item, place) => this.read(item, [...path, place]));
  }

  #readMap(map: YAMLMap, path: Path): object {
    const entries = new Map<string, unknown>();
    for (const pair of map.items) {
      const key = keyOf(pair);
      if (key === null) {
        this.#refuse(pair.key, path, 'a key that is no text', 'keys that are words');
        continue;
      }
      const keyPath = [...path, key];
      if (entries.has(key)) this.#refuse(pair.key, keyPath, `the key ${foundText(key)} again`, 'each key once');
      entries.set(key, this.read(pair.value, keyPath));
    }
    // Own properties only: `__proto__` in the text is an ordinary, unknown key.
    return Object.fromEntries(entries);
  }

  /** Refuses values that YAML has and JSON does not, because they would change on their way. */
  #judge(value: unknown, node: unknown, path: Path): void {
    if (typeof value === 'string' && !value.isWellFormed()) {
      this.#refuse(node, path, 'half a character', 'whole characters');
    } else if (typeof value === 'number' && !Number.isFinite(value)) {
      this.#refuse(node, path, String(value), 'a number that is finite');
    }
  }

  #isTooMuch(node: unknown, path: Path): boolean {
    if (isAlias(node)) this.#aliases++;
    if (path.length > MAX_YAML_DEPTH) {
      this.#refuse(node, path.slice(0, 1), `more than ${MAX_YAML_DEPTH} levels`, `at most ${MAX_YAML_DEPTH} levels`);
    } else if (this.#aliases > MAX_YAML_ALIASES) {
      this.#refuse(node, path, `more than ${MAX_YAML_ALIASES} aliases`, `at most ${MAX_YAML_ALIASES} aliases`);
    } else if (this.#values > MAX_YAML_VALUES) {
      this.#refuse(node, path, `more than ${MAX_YAML_VALUES} values`, `at most ${MAX_YAML_VALUES} values`);
    } else {
      return false;
    }
    this.#exhausted = true;
    return true;
  }

  #refuse(node: unknown, path: Path, found: string, expected: string): void {
    this.faults.push({ path, offset: offsetOf(node) ?? 0, found, expected });
  }
}

/** The key of a pair, or null if it is no text. */
export function keyOf(pair: Pair): string | null {
  return isScalar(pair.key) && typeof pair.key.value === 'string' ? pair.key.value : null;
}

/** The offset at which a node begins in the text. */
export function offsetOf(node: unknown): number | null {
  const hasRange = isScalar(node) || isAlias(node) || isMap(node) || isSeq(node);
  return hasRange && node.range ? node.range[0] : null;
}
