import { isMap, isSeq } from 'yaml';
import { type Path, pathText } from '../fault-path.ts';
import type { LocatedFault } from '../located-fault.ts';
import { parseYaml, type YamlDocument } from './yaml-document.ts';
import { MAX_YAML_COMPLAINTS } from './yaml-limits.ts';
import { keyOf, offsetOf, readValues } from './yaml-values.ts';

/** A YAML file that was read: its value, and the places of its parts. */
export interface YamlSource {
  readonly ok: true;
  /** Null for a file without content. */
  readonly value: unknown;
  /** Line and column, from 1, of a value or a key, or of the nearest surrounding part if it is missing. */
  locate(path: Path, part: 'key' | 'value'): { readonly line: number; readonly column: number };
}

export type YamlReading = YamlSource | { readonly ok: false; readonly faults: readonly LocatedFault[] };

interface FileLimits {
  readonly file: string;
  readonly maxBytes: number;
}

/** Reads YAML; every fault names the file and the place. Text may come as bytes, which must be UTF-8. */
export function readYaml(source: string | Uint8Array, { file, maxBytes }: FileLimits): YamlReading {
  const refuse = (found: string, expected: string): YamlReading => {
    return { ok: false, faults: [{ file, line: 1, column: 1, path: 'YAML', found, expected }] };
  };
  if (source.length > maxBytes) return refuse(`${source.length} bytes`, `at most ${maxBytes} bytes`);
  const text = typeof source === 'string' ? source : decode(source);
  if (text === null) return refuse(startsWithUtf16Mark(source) ? 'UTF-16' : 'bytes that are not UTF-8', 'UTF-8 text');
  const document = parseYaml(text);
  if (document.complaints.length > 0) return { ok: false, faults: complaintFaults(document, file) };
  const { value, faults } = readValues(document.tree);
  if (faults.length === 0) {
    return { ok: true, value, locate: (path, part) => positionAt(document, offsetAt(document, path, part)) };
  }
  return {
    ok: false,
    faults: faults.map(({ path, offset, found, expected }) => {
      return { file, ...positionAt(document, offset), path: pathText(path), found, expected };
    }),
  };
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function startsWithUtf16Mark(source: string | Uint8Array): boolean {
  return (source[0] === 0xff && source[1] === 0xfe) || (source[0] === 0xfe && source[1] === 0xff);
}

/** The text at that place is not repeated, because it may be a secret. */
function complaintFaults(document: YamlDocument, file: string): readonly LocatedFault[] {
  return document.complaints.slice(0, MAX_YAML_COMPLAINTS).map(({ offset, message }) => {
    const expected = `valid YAML: ${message}`;
    return { file, ...positionAt(document, offset), path: 'YAML', found: 'a fault of syntax', expected };
  });
}

function positionAt({ lines }: YamlDocument, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

function offsetAt({ tree }: YamlDocument, path: Path, part: 'key' | 'value'): number {
  let node: unknown = tree.contents;
  let offset = offsetOf(node) ?? 0;
  for (const segment of path) {
    const step = stepInto(node, segment);
    if (step === null) return offset;
    node = step.value;
    // The first line of a nested block is the line of its key.
    const inside = part === 'value' && !isMap(node) && !isSeq(node) ? offsetOf(node) : null;
    offset = inside ?? offsetOf(step.key) ?? offset;
  }
  return offset;
}

function stepInto(node: unknown, segment: string | number): { key: unknown; value: unknown } | null {
  if (isSeq(node)) {
    const item = typeof segment === 'number' ? node.items[segment] : undefined;
    return item === undefined ? null : { key: item, value: item };
  }
  if (!isMap(node)) return null;
  const pair = node.items.find((candidate) => keyOf(candidate) === segment);
  return pair === undefined ? null : { key: pair.key, value: pair.value };
}
