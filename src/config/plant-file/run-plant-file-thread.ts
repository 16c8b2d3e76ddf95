import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { FILE_KINDS, type FileKind, type PlantFile } from '../../domain/plant/plant-entry.ts';
import type {
  FromPlantFileThread,
  PlantFilePiece,
  PlantFileThreadData,
  ToPlantFileThread,
} from './plant-file-messages.ts';
import { readPlantFileOfAnySize } from './read-large-plant-file.ts';

/** Taking over this number of records takes the main thread a millisecond or two. */
const RECORDS_IN_A_PIECE = 250;

const ORDINARY_NICENESS = 0;

/**
 * Reads one plant file, hands it over piece by piece on request, and gives the places of faults. For a worker with
 * PlantFileThreadData.
 */
function runPlantFileThread(): void {
  const port = parentPort;
  if (port === null) throw new Error('a plant file is read in a worker thread');
  const { bytes, file } = workerData as PlantFileThreadData;
  // A large file takes long. Machines and other programs do not wait for it (os.setPriority acts on a thread).
  setPriority(Math.max(ORDINARY_NICENESS, getPriority()));
  const tell = (message: FromPlantFileThread) => port.postMessage(message);
  const reading = readPlantFileOfAnySize(bytes, file);
  if (!reading.ok) {
    tell({ kind: 'faulty', faults: reading.faults });
    port.close();
    return;
  }
  const pieces = piecesOf(reading.plantFile);
  port.on('message', (message: ToPlantFileThread) => {
    if (message.kind === 'locate') {
      tell({ kind: 'located', faults: reading.locate(message.faults) });
      return;
    }
    const { value: piece } = pieces.next();
    tell(piece === undefined ? { kind: 'whole' } : { kind: 'piece', piece });
  });
}

function* piecesOf(plantFile: PlantFile): Generator<PlantFilePiece, undefined> {
  for (const kind of FILE_KINDS) yield* piecesOfKind(kind, plantFile);
}

function* piecesOfKind(kind: FileKind, plantFile: PlantFile): Generator<PlantFilePiece> {
  for (let first = 0; first < plantFile[kind].length; first += RECORDS_IN_A_PIECE) {
    yield { kind, entries: plantFile[kind].slice(first, first + RECORDS_IN_A_PIECE) } as PlantFilePiece;
  }
}

runPlantFileThread();
