import { open } from 'node:fs/promises';
import { errorMessage } from '../../../domain/error-text.ts';
import { at, listOf, numberAt, textAt } from '../../answer-values.ts';
import { type CommandIo, EXIT } from '../../command-io.ts';
import { type LocalAnswer, type LocalClient, openLocalClient, printFailure } from '../../local-client.ts';
import { alignedLines, printable } from '../../terminal-text.ts';
import { type GroupCommand, withGroup } from './fleet.ts';

const ARCHIVES = '/api/local/fleet/archives';
const UPLOAD = `${ARCHIVES}/upload`;
/** The server takes no larger piece. */
const PIECE_BYTES = 262_144;
/** The whole archive is read from the disk. */
const VERIFY_TIMEOUT_MS = 5 * 60_000;

/** `plantgate fleet send`: sends a signed archive to this server, which verifies and keeps it. Exit code 64: it is refused. */
export async function sendArchive(
  { dataDir, file }: { readonly dataDir: string; readonly file: string },
  io: CommandIo,
): Promise<number> {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return printFailure(opened, io);
  try {
    const kept = await sent(file, opened.client);
    if (!kept.ok) return printFailure(kept, io);
    const [version, arch] = [textAt(kept.body, 'version'), textAt(kept.body, 'arch')];
    io.stdout(printable(`Version ${version} for ${arch} is kept. "plantgate fleet update" gives it to a group.`));
    return EXIT.done;
  } catch (error) {
    io.stderr(printable(`${file} cannot be read: ${errorMessage(error)}`));
    return EXIT.usage;
  }
}

/** Rejects if the file cannot be read. */
async function sent(file: string, client: LocalClient): Promise<LocalAnswer> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const begun = await client.call('POST', UPLOAD, { bytes: size });
    if (!begun.ok) return begun;
    const upload = `${UPLOAD}/${encodeURIComponent(textAt(begun.body, 'uploadId') ?? '')}`;
    const piece = new Uint8Array(PIECE_BYTES);
    for (let offset = 0; offset < size; ) {
      const { bytesRead } = await handle.read(piece, 0, PIECE_BYTES, offset);
      if (bytesRead === 0) break;
      const added = await client.putBytes(`${upload}?offset=${offset}`, piece.subarray(0, bytesRead));
      if (!added.ok) return added;
      offset += bytesRead;
    }
    return await client.call('POST', `${upload}/finish`, undefined, VERIFY_TIMEOUT_MS);
  } finally {
    await handle.close();
  }
}

/** `plantgate fleet archives`: the archives that this server keeps for gateways. */
export async function listArchives(
  { dataDir, json }: { readonly dataDir: string; readonly json: boolean },
  io: CommandIo,
): Promise<number> {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return printFailure(opened, io);
  const answer = await opened.client.call('GET', ARCHIVES);
  if (!answer.ok) return printFailure(answer, io);
  const rows = listOf(answer.body).map((one) => [
    textAt(one, 'version') ?? '-',
    textAt(one, 'arch') ?? '-',
    String(numberAt(one, 'bytes')),
  ]);
  if (json) io.stdout(JSON.stringify(answer.body, null, 2));
  else if (rows.length === 0) io.stdout('There are no updates. "plantgate fleet send" sends one.');
  else for (const line of alignedLines([['VERSION', 'FOR', 'BYTES'], ...rows])) io.stdout(line);
  return EXIT.done;
}

interface UpdateCommand extends GroupCommand {
  /** `1.4.0`, or `1.4.0-arm64` where there are archives of several architectures. */
  readonly version: string;
  readonly canaries: readonly string[];
  readonly atOnce: number;
}

/** `plantgate fleet update`: gives an update to the gateways of a group, in steps. Exit code 64: there is no such archive. */
export function beginUpdate({ version, canaries, atOnce, ...command }: UpdateCommand, io: CommandIo): Promise<number> {
  return withGroup(command, io, async (client, place) => {
    const listed = await client.call('GET', ARCHIVES);
    if (!listed.ok) return printFailure(listed, io);
    const names = (one: unknown) => [textAt(one, 'version'), `${textAt(one, 'version')}-${textAt(one, 'arch')}`];
    const found = listOf(listed.body).filter((one) => names(one).includes(version));
    const [archive] = found;
    if (archive === undefined || found.length > 1) {
      const all = listOf(listed.body).map((one) => names(one)[1]);
      io.stderr(
        printable(`Version ${version} is not one of these: ${all.join(', ')}. "plantgate fleet send" sends one.`),
      );
      return EXIT.usage;
    }
    const body = { archiveId: textAt(archive, 'archiveId'), canaries, atOnce };
    const begun = await client.call('POST', `${place}/update`, body);
    if (!begun.ok) return printFailure(begun, io);
    io.stdout(printable(`The first step begins. "plantgate fleet progress ${command.group}" says how far it is.`));
    return EXIT.done;
  });
}

/** `plantgate fleet progress`: how far the last update of a group is. */
export function showProgress(command: GroupCommand & { readonly json: boolean }, io: CommandIo): Promise<number> {
  return withGroup(command, io, async (client, place) => {
    const answer = await client.call('GET', `${place}/update`);
    if (!answer.ok) return printFailure(answer, io);
    const update = at(answer.body, 'update');
    if (command.json) io.stdout(JSON.stringify(update, null, 2));
    else if (textAt(update, 'version') === null) io.stdout('There was no update yet.');
    else for (const line of progressLines(update)) io.stdout(line);
    return EXIT.done;
  });
}

function progressLines(update: unknown): readonly string[] {
  const why = textAt(update, 'why') ?? '';
  const head = `Version ${textAt(update, 'version')}: ${textAt(update, 'state')}${why === '' ? '' : `, ${why}`}`;
  const rows = listOf(at(update, 'gateways')).map((one) => [
    textAt(one, 'gatewayId') ?? '-',
    textAt(one, 'standing') ?? '-',
    textAt(one, 'version') ?? '-',
    String(numberAt(one, 'receivedBytes') ?? 0),
    textAt(one, 'why') ?? '',
  ]);
  return [printable(head), ...alignedLines([['GATEWAY', 'STANDING', 'RUNS', 'RECEIVED', 'WHY'], ...rows])];
}
