import { isUtf8 } from 'node:buffer';
import type { Fault } from '../../domain/error.ts';
import { FILE_KINDS, type FileKind, MAX_FILE_RECORDS, type PlantFile } from '../../domain/plant/plant-entry.ts';
import type { LocatedFault } from '../located-fault.ts';
import { MAX_PLANT_FILE_BYTES } from '../yaml/yaml-limits.ts';
import { append, emptyLists } from './plant-lists.ts';
import { MAX_PLANT_FAULTS, type PlantFileReading, readPlantFile } from './read-plant-file.ts';

/** A file read as a whole takes a hundred times its size in memory. */
export const MAX_WHOLE_BYTES = 4 * 1024 * 1024;

/** An anchor, by which one part may refer to another. */
const ANCHOR = /(?:^|[\s[{,])&\S/;

/** Reads a plant file of any permitted size. */
export function readPlantFileOfAnySize(bytes: Uint8Array, file: string): PlantFileReading {
  const isLarge = bytes.length > MAX_WHOLE_BYTES && bytes.length <= MAX_PLANT_FILE_BYTES;
  if (!isLarge || !isUtf8(bytes)) return readPlantFile(bytes, file);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const reading = ANCHOR.test(text) ? null : readLargePlantFile(text, file);
  const isTooMuch = reading?.ok === true && !FILE_KINDS.every((kind) => isWithin(kind, reading.plantFile));
  return reading === null || isTooMuch ? readPlantFile(text, file) : reading;
}

function isWithin(kind: FileKind, plantFile: PlantFile): boolean {
  return plantFile[kind].length <= MAX_FILE_RECORDS[kind];
}

/**
 * Reads a plant file part by part, with any number of records: an export of a large plant would take gigabytes of
 * memory as a whole. Null if it cannot be cut.
 */
export function readLargePlantFile(text: string, file: string): PlantFileReading | null {
  const parts = plantFileParts(text);
  if (parts === null) return null;
  const lists = emptyLists();
  const faults: LocatedFault[] = [];
  for (const part of parts) {
    const reading = readPlantFile(part.text(), file);
    if (reading.ok) for (const kind of FILE_KINDS) append(lists, kind, reading.plantFile[kind]);
    else faults.push(...reading.faults.map((fault) => inFile(fault, part)));
    if (faults.length >= MAX_PLANT_FAULTS) break;
  }
  if (faults.length > 0) return { ok: false, faults };
  return { ok: true, plantFile: lists, locate: (found) => locate(found.slice(0, MAX_PLANT_FAULTS), parts, file) };
}

const PLACE = /^(\w+)\[(\d+)\]/;

/** A fault of a part with its place in the file. */
function inFile(fault: LocatedFault, { firstPlace, keyLine, firstLine }: PlantFilePart): LocatedFault {
  const line = fault.line === null || fault.line === 1 ? keyLine : firstLine + fault.line - 2;
  return { ...fault, line, path: moved(fault.path, firstPlace) };
}

/**
 * Reads the parts with faults again, each once if the faults are in order, because the places of all values would take
 * too much memory.
 */
function locate(faults: readonly Fault[], parts: readonly PlantFilePart[], file: string): readonly LocatedFault[] {
  let latest: { readonly part: PlantFilePart; readonly reading: PlantFileReading } | null = null;
  return faults.map((fault) => {
    const [, name, place] = PLACE.exec(fault.path) ?? [];
    const part = parts.findLast(
      ({ kind, firstPlace }) => fault.path.startsWith(kind) && firstPlace <= Number(place ?? 0),
    );
    const nearest: LocatedFault = { ...fault, file, line: part?.keyLine ?? 1, column: 1 };
    if (part === undefined || name === undefined) return nearest;
    if (latest?.part !== part) latest = { part, reading: readPlantFile(part.text(), file) };
    if (!latest.reading.ok) return nearest;
    const [found] = latest.reading.locate([{ ...fault, path: moved(fault.path, -part.firstPlace) }]);
    return found === undefined ? nearest : inFile(found, part);
  });
}

function moved(path: string, by: number): string {
  return path.replace(PLACE, (_, name: string, place: string) => `${name}[${Number(place) + by}]`);
}

/** A part of a plant file that is a plant file by itself: a whole kind, or some entries of one. */
interface PlantFilePart {
  readonly kind: FileKind;
  /** The place of its first entry within its kind. */
  readonly firstPlace: number;
  /** The line of the kind's key in the file, and the line behind the key in the part. */
  readonly keyLine: number;
  readonly firstLine: number;
  /** The part as YAML. It is made on request, because all parts together are as long as the file. */
  text(): string;
}

/** The read part of a kind of the file: its next part begins at `from`. */
interface Section {
  readonly kind: FileKind;
  readonly key: string;
  readonly keyLine: number;
  /** The indentation of its entries; null before the first one. */
  indent: number | null;
  from: number;
  firstLine: number;
  firstPlace: number;
  entries: number;
}

const ENTRIES_PER_PART = 500;
const KEY = /^(\w+):/;
/** The beginning of a line that belongs to the section before: blank, indented, a comment, an entry. */
const GOES_ON = new Set(['', '\n', '\r', ' ', '#', '-']);

/**
 * Cuts a plant file at the beginnings of entries of block lists, because the parser takes much more memory than the
 * text. Null if the file is not written in this plain way; then it has to be read as a whole.
 */
export function plantFileParts(text: string): readonly PlantFilePart[] | null {
  const cutter = new Cutter(text);
  for (const line of linesOf(text)) if (!cutter.take(line)) return null;
  return cutter.end();
}

class Cutter {
  readonly #text: string;
  readonly #parts: PlantFilePart[] = [];
  readonly #kinds = new Set<FileKind>();
  #section: Section | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  /** False if the line has an unknown form. */
  take(line: Line): boolean {
    const first = this.#text.charAt(line.from);
    if (!GOES_ON.has(first)) return this.#begin(line);
    if (first === '-' && !isDash(this.#text, line.from)) return false;
    if (this.#section !== null && isEntry(this.#text, line.from, this.#section)) this.#count(this.#section, line);
    return true;
  }

  end(): readonly PlantFilePart[] {
    this.#close(this.#text.length);
    return this.#parts;
  }

  #begin({ from, next, number }: Line): boolean {
    const section = sectionOf(this.#text.slice(from, next), number, next);
    if (section === null || this.#kinds.has(section.kind)) return false;
    this.#kinds.add(section.kind);
    this.#close(from);
    this.#section = section;
    return true;
  }

  #count(section: Section, { from, number }: Line): void {
    section.entries += 1;
    if (section.entries <= ENTRIES_PER_PART) return;
    this.#close(from);
    const firstPlace = section.firstPlace + ENTRIES_PER_PART;
    this.#section = { ...section, from, firstLine: number, firstPlace, entries: 1 };
  }

  #close(to: number): void {
    if (this.#section !== null) this.#parts.push(partOf(this.#section, this.#text, to));
  }
}

interface Line {
  readonly from: number;
  readonly next: number;
  readonly number: number;
}

function sectionOf(line: string, keyLine: number, from: number): Section | null {
  const key = line.trimEnd();
  const kind = FILE_KINDS.find((known) => known === KEY.exec(key)?.[1]);
  if (kind === undefined) return null;
  return { kind, key, keyLine, indent: null, from, firstLine: keyLine + 1, firstPlace: 0, entries: 0 };
}

function partOf({ kind, key, keyLine, from, firstLine, firstPlace }: Section, file: string, to: number): PlantFilePart {
  return { kind, firstPlace, keyLine, firstLine, text: () => `${key}\n${file.slice(from, to)}` };
}

function* linesOf(text: string): Generator<Line> {
  let number = 1;
  for (let from = 0; from < text.length; number += 1) {
    const newline = text.indexOf('\n', from);
    const next = newline === -1 ? text.length : newline + 1;
    yield { from, next, number };
    from = next;
  }
}

/** Whether an entry begins in this line: a dash, as far to the right as the section's first one. */
function isEntry(text: string, from: number, section: Section): boolean {
  let dash = from;
  while (text.charAt(dash) === ' ') dash += 1;
  if (!isDash(text, dash)) return false;
  section.indent ??= dash - from;
  return section.indent === dash - from;
}

function isDash(text: string, at: number): boolean {
  return text.charAt(at) === '-' && /^[ \r\n]?$/.test(text.charAt(at + 1));
}
