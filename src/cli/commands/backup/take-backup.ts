import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isBackupName } from '../../../adapters/store/backup/backup-files.ts';
import { verifyBackup } from '../../../adapters/store/backup/verify-backup.ts';
import { StoreOpenError } from '../../../adapters/store/store-open-error.ts';
import { statOrNull } from '../../../config/read-file.ts';
import { errorMessage } from '../../../domain/error-text.ts';
import { syncFile } from '../../../runtime/disk/sync-file.ts';
import { textAt } from '../../answer-values.ts';
import { type CommandIo, EXIT } from '../../command-io.ts';
import { inPlant, openLocalClient, printFailure } from '../../local-client.ts';

/** A large database takes minutes. */
const BACKUP_TIMEOUT_MS = 60 * 60_000;
const OWNER_ONLY = 0o600;
const FOR_OTHERS = 0o077;
/** Another backup is being taken. */
const CONFLICT = 409;

interface BackupFile {
  readonly file: string;
  /** Prints the result as JSON, with the size in bytes. */
  readonly json: boolean;
}

/**
 * `plantgate backup FILE`: asks the running gateway for a backup and puts it in FILE, which must not exist. Both the
 * gateway and this command read every page of it. Gives the exit code.
 */
export async function runBackup(
  { dataDir, file, plantId = null, json }: BackupFile & { readonly dataDir: string; readonly plantId?: string | null },
  io: CommandIo,
): Promise<number> {
  const obstacle = await obstacleTo(file);
  if (obstacle !== null) {
    io.stderr(obstacle);
    return EXIT.cannotCreate;
  }
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return printFailure(opened, io);
  const taken = await inPlant(opened.client, plantId).call('POST', '/api/local/backups', undefined, BACKUP_TIMEOUT_MS);
  if (!taken.ok) {
    const exitCode = printFailure(taken, io);
    return taken.refusal?.status === CONFLICT ? EXIT.tryAgain : exitCode;
  }
  const source = textAt(taken.body, 'file') ?? '';
  try {
    // Root copies and removes the file that the gateway names, so its name must be that of a backup.
    if (!isBackupName(path.basename(source))) throw new Error('it is not named like a backup');
    await copyVerified(source, file);
    await rm(source, { force: true });
  } catch (error) {
    io.stderr(`The backup ${source} cannot be put into ${file}: ${errorMessage(error)}.`);
    return error instanceof StoreOpenError ? error.exitCode : EXIT.inputOutput;
  }
  const { size, mode } = await stat(file);
  const of = plantId === null ? 'the gateway' : `plant ${plantId}`;
  const sentence = `${file} holds all state of ${of}, ${size} bytes, verified page by page`;
  io.stdout(json ? resultText(file, size) : sentence);
  if ((mode & FOR_OTHERS) !== 0) {
    io.stderr(`Others may read ${file}, because its disk knows no modes of files. It holds keys: keep it safe.`);
  }
  return EXIT.done;
}

/** `plantgate backup --verify FILE`: reads every page of a backup. Gives the exit code. */
export async function runVerify({ file, json }: BackupFile, io: CommandIo): Promise<number> {
  try {
    verifyBackup(file);
    io.stdout(json ? resultText(file, (await stat(file)).size) : `${file} is whole`);
    return EXIT.done;
  } catch (error) {
    io.stderr(`${errorMessage(error)}.`);
    return error instanceof StoreOpenError ? error.exitCode : EXIT.inputOutput;
  }
}

function resultText(file: string, bytes: number): string {
  return JSON.stringify({ file, bytes, verified: true }, null, 2);
}

/** The reason for which the backup cannot be put into the file; null: it can. */
async function obstacleTo(file: string): Promise<string | null> {
  const directory = path.dirname(file);
  try {
    if ((await statOrNull(directory)) === null) {
      return `The directory ${directory} does not exist. Make it first; nothing was written.`;
    }
    const isTaken = (await statOrNull(file)) !== null;
    return isTaken ? `${file} exists already. Choose another name; nothing was overwritten.` : null;
  } catch (error) {
    return `${file} cannot be looked at: ${errorMessage(error)}. Nothing was written.`;
  }
}

/**
 * The file appears under its name only as a whole. It is made with its mode, because media without modes (vfat, CIFS)
 * refuse to change one, as copyFile does too.
 */
async function copyVerified(source: string, file: string): Promise<void> {
  const arriving = `${file}.part`;
  await rm(arriving, { force: true });
  try {
    await pipeline(createReadStream(source), createWriteStream(arriving, { flags: 'wx', mode: OWNER_ONLY }));
    syncFile(arriving);
    verifyBackup(arriving);
    await rename(arriving, file);
    syncFile(path.dirname(file));
  } catch (error) {
    await rm(arriving, { force: true });
    throw error;
  }
}
