import type { KeyObject } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { type UpdateHeader, updateRefusal } from '../../../domain/update/update-header.ts';
import { requireRoomSync } from '../../../runtime/disk/room.ts';
import { type CommandIo, EXIT } from '../../command-io.ts';
import { openArchive, refused, type UpdateArchive } from './archive.ts';
import { type Settled, settleUpdate } from './settle-update.ts';
import { swapProgram } from './swap-program.ts';
import { tellFault } from './tell-fault.ts';
import { readJournal, type UpdateJournal } from './update-journal.ts';
import { refuseInterrupted, withUpdateLock } from './update-lock.ts';
import type { UpdateParts } from './update-parts.ts';

export interface UpdateOptions {
  readonly file: string;
  /** The archive itself, if it is open already. */
  readonly opened?: FileHandle;
  readonly trustedKeys: readonly KeyObject[];
  /** Only verifies the archive. */
  readonly checkOnly: boolean;
  /** Prints the result of a check as JSON. */
  readonly json?: boolean;
  readonly allowDowngrade: boolean;
  /** The time that the new version has until it serves. */
  readonly waitMs: number;
  /** Called at each step, with the version of the archive. */
  readonly onStep?: (step: UpdateStep, version: string) => void;
}

/** `verified`: its maker is known, and nothing is changed yet. `swapping`: the journal is there, and the service stops next. */
export type UpdateStep = 'verified' | 'swapping';

/** `plantgate update FILE`: installs the program of a signed archive, or leaves the present one. Gives the exit code. */
export async function runUpdate(options: UpdateOptions, parts: UpdateParts, io: CommandIo): Promise<number> {
  try {
    if (options.checkOnly) return await update(options, parts, io);
    return await withUpdateLock(parts.places, () => {
      refuseInterrupted(parts.places);
      return update(options, parts, io);
    });
  } catch (error) {
    return tellFault(error, `${options.file} was not installed`, io);
  }
}

/** `plantgate update --resume`: settles an interrupted update while the gateway is stopped. Gives the exit code. */
export async function resumeUpdate(parts: UpdateParts, io: CommandIo): Promise<number> {
  const { journal: file } = parts.places;
  try {
    if (!existsSync(file)) {
      io.stdout('No update was interrupted. Nothing was changed.');
      return EXIT.done;
    }
    return await withUpdateLock(parts.places, async () => {
      const journal = readJournal(file);
      if (journal === null) return EXIT.done;
      tellSettled(settleUpdate(journal, parts), journal, io);
      return EXIT.done;
    });
  } catch (error) {
    return tellFault(error, 'The update was not settled', io);
  }
}

function tellSettled(settled: Settled, { from, to }: UpdateJournal, io: CommandIo): void {
  if (settled.outcome === 'confirmed') {
    io.stdout(`Version ${to} had served already, so it stays.`);
    return;
  }
  io.stdout(`Version ${from} is back, as before the update. Run the update again.`);
  if (settled.keptFile !== null) io.stdout(`What the new version left is kept: ${settled.keptFile}`);
}

/** A check says only whether the archive is whole and signed, and beside that what would keep it from this computer. */
function tellVerified(
  file: string,
  header: UpdateHeader,
  refusal: string | null,
  json: boolean,
  io: CommandIo,
): number {
  if (json) {
    io.stdout(JSON.stringify({ file, ...header, verified: true, refusal }, null, 2));
    return EXIT.done;
  }
  io.stdout(`${file} is whole and signed: version ${header.version}, of ${header.created}`);
  if (refusal !== null) io.stdout(`It would not be installed here: ${refusal}`);
  return EXIT.done;
}

async function update(options: UpdateOptions, parts: UpdateParts, io: CommandIo): Promise<number> {
  const { checkOnly, json = false, allowDowngrade, file, opened, trustedKeys, waitMs, onStep } = options;
  const archive = await openArchive(opened ?? file, trustedKeys);
  const { header } = archive;
  try {
    onStep?.('verified', header.version);
    const refusal = updateRefusal(header, parts.present, allowDowngrade);
    if (checkOnly) {
      await archive.copyProgram();
      return tellVerified(file, header, refusal, json, io);
    }
    if (refusal !== null) throw refused(refusal);
    await stageProgram(archive, parts);
  } finally {
    await archive.close();
  }
  if (parts.service === null) return replaceAlone(header.version, parts, io);
  const backUpCode = await backUp(parts, io);
  if (backUpCode !== EXIT.done) return abandon(backUpCode, 'No backup could be taken', parts, io);
  if (io.signal.aborted) return abandon(EXIT.tryAgain, 'It was stopped', parts, io);
  const onJournal = () => onStep?.('swapping', header.version);
  return swapProgram(header, parts.service, parts, { io, waitMs, onJournal });
}

/**
 * Puts the program beside the present one. The bytes are verified while they are copied, and exactly these are
 * installed later.
 */
async function stageProgram(archive: UpdateArchive, { places, versionOf }: UpdateParts): Promise<void> {
  const { next } = places;
  rmSync(next, { force: true });
  requireRoomSync(path.dirname(next), archive.header.bytes, 'the update');
  try {
    const target = await open(next, 'wx', 0o600);
    try {
      await archive.copyProgram(target);
      await target.chmod(0o755);
      await target.sync();
    } finally {
      await target.close();
    }
    const said = versionOf === null ? archive.header.version : versionOf(next);
    if (said !== archive.header.version) throw refused(`its program does not run here: it says ${said ?? 'nothing'}`);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

function replaceAlone(version: string, { places, disk }: UpdateParts, io: CommandIo): number {
  disk.link(places.binary, places.previous);
  disk.move(places.next, places.binary);
  io.stdout(
    `${places.binary} is version ${version} now. No service runs it here: a gateway that runs has to be restarted.`,
  );
  return EXIT.done;
}

/** The backup appears under its name only as a whole, and the one of the update before stays until then. */
async function backUp({ places, disk, backUp, servingVersion }: UpdateParts, io: CommandIo): Promise<number> {
  if ((await servingVersion()) === null) {
    io.stdout('No gateway serves, so no backup is taken. Its database is copied if the new version changes it.');
    // The backup of an earlier update must not be taken for that of this one.
    if (existsSync(places.backup)) disk.move(places.backup, `${places.backup}.earlier`);
    return EXIT.done;
  }
  const fresh = `${places.backup}.new`;
  disk.remove(fresh);
  const code = await backUp(fresh);
  if (code !== EXIT.done) return code;
  disk.move(fresh, places.backup);
  io.stdout(`A verified backup of the gateway is ${places.backup}`);
  return code;
}

function abandon(exitCode: number, reason: string, { places, disk }: UpdateParts, io: CommandIo): number {
  disk.remove(places.next);
  io.stderr(`${reason}, so nothing was updated. The gateway runs as before.`);
  return exitCode;
}
