import { isUtf8 } from 'node:buffer';
import type { Fault } from '../../domain/error.ts';
import { FILE_KINDS, type FileKind, MAX_FILE_RECORDS, type PlantFile } from '../../domain/plant/plant-entry.ts';
import type { LocatedFault } from '../located-fault.ts';
import { MAX_PLANT_FILE_BYTES } from '../yaml/yaml-limits.ts';
import { type PlantFilePart, plantFileParts } from './plant-file-parts.ts';
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
