import path from 'node:path';
import { type LocatedFault, locatedFaultText } from '../../config/located-fault.ts';
import type { Fault } from '../../domain/error.ts';
import { FILE_KINDS, type FileKind, type PlantFile } from '../../domain/plant/plant-entry.ts';
import { duplicates } from '../../domain/plant/plant-rules.ts';
import { at, listOf, textAt } from '../answer-values.ts';
import { type CommandIo, EXIT } from '../command-io.ts';
import { describeLoad, readOutcome } from '../load-outcome.ts';
import {
  type CommandFailure,
  inPlant,
  type LocalAnswer,
  type LocalClient,
  openLocalClient,
  printFailure,
} from '../local-client.ts';
import { readLargePlant } from '../plant-file.ts';

export interface ApplyOptions {
  readonly dataDir: string;
  readonly file: string;
  /** One of several plants of a central server; null: its first one. */
  readonly plantId: string | null;
  /** Lists the changes, and makes none. */
  readonly dryRun: boolean;
  readonly json: boolean;
}

const LOADS = '/api/local/plant/loads';
/** The gateway reads a piece in one turn of its loop: it must be small. */
const PIECE_CHARACTERS = 64 * 1024;
/** Hashing the passwords of a whole plant takes minutes. */
const FINISH_TIMEOUT_MS = 30 * 60_000;

const UNKNOWN = 'Whether the file is applied is not known: apply it again, which changes nothing if it is.';

/**
 * `plantgate apply`: loads a plant file into the running gateway, all or nothing; the same file again changes nothing.
 * Gives the exit code: 78 with every fault if the file, or the plant after it, has any.
 */
export async function runApply(options: ApplyOptions, io: CommandIo): Promise<number> {
  const file = path.resolve(options.file);
  const reading = readLargePlant(file);
  if (!reading.ok) return printFaults(reading.faults, io);
  const twice = reading.locate(duplicates(reading.plantFile));
  if (twice.length > 0) return printFaults(twice, io);
  const opened = await openLocalClient(options.dataDir);
  if (!opened.ok) return printFailure(opened, io);
  const loaded = await load(reading.plantFile, options.dryRun, inPlant(opened.client, options.plantId));
  if (!loaded.ok) {
    const faults = reading.locate(faultsOf(loaded));
    return faults.length > 0 ? printFaults(faults, io) : printFailure(loaded, io);
  }
  if (options.json) io.stdout(JSON.stringify(loaded.body, null, 2));
  else for (const line of describeLoad(readOutcome(loaded.body), options)) io.stdout(line);
  return EXIT.done;
}

/** Sends the file piece by piece, and then lets the gateway apply it as one. The gateway forgets an unfinished load. */
async function load(plantFile: PlantFile, dryRun: boolean, client: LocalClient): Promise<LocalAnswer> {
  const begun = await client.call('POST', LOADS);
  if (!begun.ok) return begun;
  const place = `${LOADS}/${encodeURIComponent(textAt(begun.body, 'loadId') ?? '')}`;
  for (const [kind, text] of messagesOf(plantFile)) {
    const added = await client.postText(`${place}/records/${kind}`, text);
    if (added.ok) continue;
    await client.call('DELETE', place);
    return added;
  }
  const finished = await client.call('POST', `${place}/finish`, { dryRun }, FINISH_TIMEOUT_MS);
  if (finished.ok || finished.refusal !== null || dryRun) return finished;
  return { ...finished, sentence: `${finished.sentence} ${UNKNOWN}` };
}

function* messagesOf(plantFile: PlantFile): Generator<readonly [FileKind, string]> {
  for (const kind of FILE_KINDS) {
    if (kind === 'orders') for (const piece of piecesOf(plantFile.orders)) yield [kind, piece.join('\n')];
    else for (const piece of piecesOf(jsonTexts(plantFile[kind]))) yield [kind, `[${piece.join(',')}]`];
  }
}

function* jsonTexts(entries: readonly object[]): Generator<string> {
  for (const entry of entries) yield JSON.stringify(entry);
}

function* piecesOf(texts: Iterable<string>): Generator<readonly string[]> {
  let piece: string[] = [];
  let characters = 0;
  for (const text of texts) {
    if (characters + text.length > PIECE_CHARACTERS && piece.length > 0) {
      yield piece;
      piece = [];
      characters = 0;
    }
    piece.push(text);
    characters += text.length;
  }
  if (piece.length > 0) yield piece;
}

/** The faults of the plant after the file. */
function faultsOf({ refusal }: CommandFailure): readonly Fault[] {
  return listOf(refusal?.status === 400 ? at(refusal.body, 'faults') : null).map((fault) => {
    const sentence = textAt(fault, 'sentence');
    return {
      path: textAt(fault, 'path') ?? '',
      found: textAt(fault, 'found') ?? '',
      expected: textAt(fault, 'expected') ?? '',
      ...(sentence !== null && { sentence }),
    };
  });
}

function printFaults(faults: readonly LocatedFault[], io: CommandIo): number {
  for (const fault of faults) io.stderr(locatedFaultText(fault));
  io.stderr(`${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}; nothing was changed`);
  return EXIT.badConfiguration;
}
