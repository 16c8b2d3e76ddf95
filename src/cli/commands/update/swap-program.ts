import { statSync } from 'node:fs';
import { settleStopped } from '../../../adapters/store/backup/stopped-data-dir.ts';
import { errorMessage } from '../../../domain/error-text.ts';
import { schemaRefusal, type UpdateHeader } from '../../../domain/update/update-header.ts';
import { requireRoomSync } from '../../../runtime/disk/room.ts';
import { type CommandIo, EXIT } from '../../command-io.ts';
import { refused } from './archive.ts';
import { dataPlaces } from './data-places.ts';
import { confirmUpdate, SETTLE_ADVICE, type Undone, undoUpdate } from './settle-update.ts';
import { readJournal, servedTrace, type UpdateJournal, writeJournal } from './update-journal.ts';
import type { ServiceControl, UpdateParts } from './update-parts.ts';

/**
 * Replaces the running program by the prepared one, and waits until it serves. If it does not, the previous program
 * comes back with its data. Gives the exit code: 69 if the old version serves again, 70 if no version does.
 */
export async function swapProgram(
  header: UpdateHeader,
  service: ServiceControl,
  parts: UpdateParts,
  { io, waitMs, onJournal }: { readonly io: CommandIo; readonly waitMs: number; readonly onJournal: () => void },
): Promise<number> {
  const { places, disk, present } = parts;
  disk.link(places.binary, places.previous);
  service.guardStart();
  const versions = { from: present.version, to: header.version };
  const prepared = { step: 'prepared', ...versions, schema: null, hasCopy: false, servedTrace: null } as const;
  writeJournal(disk, places.journal, prepared);
  const failure = await trySwap(header, service, parts, { waitMs, onJournal }).catch(errorMessage);
  try {
    if (failure === null) return confirm(header.version, parts, io);
    const reason = `Version ${header.version} does not serve: ${failure}.`;
    io.stderr(reason);
    return await rollBack(reason, service, parts, { io, waitMs });
  } catch (error) {
    io.stderr(`The update is unfinished: ${errorMessage(error)}. Mend that, then ${SETTLE_ADVICE}.`);
    return EXIT.internal;
  }
}

function confirm(version: string, parts: UpdateParts, io: CommandIo): number {
  confirmUpdate(openJournal(parts), parts);
  io.stdout(`Version ${version} serves. The program before is ${parts.places.previous}.`);
  return EXIT.done;
}

/** Gives the reason for which the new program does not serve; null if it serves. */
async function trySwap(
  header: UpdateHeader,
  service: ServiceControl,
  parts: UpdateParts,
  { waitMs, onJournal }: { readonly waitMs: number; readonly onJournal: () => void },
): Promise<string | null> {
  const { places, disk, dataDir } = parts;
  onJournal();
  await service.stop();
  const databases = dataPlaces(places, dataDir).map((place) => ({ ...place, database: settleStopped(place.dataDir) }));
  const schema = databases[0]?.database?.schema ?? null;
  const newest = Math.max(...databases.map(({ database }) => database?.schema ?? 0));
  if (header.schema < newest) throw refused(schemaRefusal(header, newest));
  const changing = databases.flatMap(({ database, copy }) =>
    database !== null && header.schema > database.schema ? [{ file: database.file, copy }] : [],
  );
  const hasCopy = changing.length > 0;
  if (hasCopy) requireRoomFor(changing, parts);
  for (const { file, copy } of changing) disk.copy(file, copy);
  const swapping = { step: 'swapping', schema, hasCopy, servedTrace: servedTrace(dataDir) } as const;
  writeJournal(disk, places.journal, { ...openJournal(parts), ...swapping });
  disk.move(places.next, places.binary);
  await service.start();
  return waitUntilServes(header.version, service, parts, waitMs);
}

function requireRoomFor(databases: readonly { readonly file: string }[], { places, dataDir }: UpdateParts): void {
  const size = databases.reduce((sum, { file }) => sum + statSync(file).size, 0);
  // A roll-back makes another copy in the data directory.
  const isOneDisk = statSync(places.stateDir).dev === statSync(dataDir).dev;
  requireRoomSync(places.stateDir, isOneDisk ? 2 * size : size, 'the update');
  requireRoomSync(dataDir, size, 'a roll-back of the update');
}

async function rollBack(
  reason: string,
  service: ServiceControl,
  parts: UpdateParts,
  { io, waitMs }: { readonly io: CommandIo; readonly waitMs: number },
): Promise<number> {
  const journal = openJournal(parts);
  await service.stop();
  const { keptFile } = await undoAndStart(journal, reason, service, parts);
  const { from } = journal;
  if (keptFile !== null) {
    io.stderr(`The database is as it was before the update. What the new version left is kept: ${keptFile}`);
  }
  const failure = await waitUntilServes(from, service, parts, waitMs);
  if (failure === null) {
    io.stderr(`Version ${from} is back and serves. "journalctl -u plantgate" says why the new one did not.`);
    return EXIT.unavailable;
  }
  io.stderr(`Version ${from} is back and does not serve either: ${failure}. Run "plantgate doctor".`);
  return EXIT.internal;
}

/** The service starts in any case, because machines wait for it. */
async function undoAndStart(
  journal: UpdateJournal,
  reason: string,
  service: ServiceControl,
  parts: UpdateParts,
): Promise<Undone> {
  try {
    return undoUpdate(journal, reason, parts);
  } finally {
    await service.start();
  }
}

function openJournal({ places }: UpdateParts): UpdateJournal {
  const journal = readJournal(places.journal);
  if (journal === null) throw new Error(`${places.journal} is gone`);
  return journal;
}

const POLL_MS = 250;

/** Waits until a version serves. Gives null then, or the reason for which it does not serve. */
async function waitUntilServes(
  version: string,
  service: ServiceControl,
  { servingVersion, monotonicMs, wait }: Pick<UpdateParts, 'servingVersion' | 'monotonicMs' | 'wait'>,
  timeoutMs: number,
): Promise<string | null> {
  const end = monotonicMs() + timeoutMs;
  while (monotonicMs() < end) {
    if ((await servingVersion()) === version) return null;
    const failure = service.failure();
    if (failure !== null) return failure;
    await wait(POLL_MS);
  }
  return `it did not serve within ${timeoutMs / 1_000} s`;
}
