import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { CodedError } from '../../domain/error.ts';
import { errorCode } from '../../domain/error-code.ts';
import type { ArchiveFiles, FleetArchive } from '../../flows/fleet-update/fleet-update-ports.ts';
import { incomingFile } from './incoming-file.ts';
import { verifyUpdateApart } from './verify-update-apart.ts';

export interface ArchiveFilesOptions {
  readonly dataDir: string;
  /** The file with the keys that root trusts beside those of the makers; it need not exist. */
  readonly trustedKeys: string;
  /** The file (src/threads.ts) from which the verifying thread starts. */
  readonly threadEntry: URL | string;
}

const INCOMING = 'fleet-incoming.update';
const KEPT = /^fleet-([\d.]{5,20})-([a-z0-9]{1,16})-([0-9a-f]{64})\.update$/;

/** Archives for gateways that send here, in the data directory; the names say what they are. */
export function archiveFiles({ dataDir, trustedKeys, threadEntry }: ArchiveFilesOptions): ArchiveFiles {
  const incoming = path.resolve(dataDir, INCOMING);
  const arriving = incomingFile(incoming);
  const fileOf = ({ version, arch, archiveId }: Omit<FleetArchive, 'bytes'>) =>
    path.resolve(dataDir, `fleet-${version}-${arch}-${archiveId}.update`);
  const list = async () => {
    const named = (await readdir(dataDir)).flatMap((name) => archiveIn(name) ?? []);
    const sizes = await Promise.all(named.map((archive) => stat(fileOf(archive)).then(({ size }) => size)));
    return named.map((archive, place) => ({ ...archive, bytes: sizes[place] ?? 0 }));
  };
  return {
    list,
    create: arriving.create,
    write: arriving.write,
    keep: async () => {
      const task = { file: incoming, trustedKeys, isForOthers: true };
      const { version, arch, sha256: archiveId } = await verifyUpdateApart(task, threadEntry);
      const kept = { archiveId, version, arch };
      await rename(incoming, fileOf(kept));
      return { ...kept, bytes: (await stat(fileOf(kept))).size };
    },
    discard: arriving.remove,
    remove: (archive) => rm(fileOf(archive), { force: true }),
    read: async (archiveId, from, bytes) => {
      const archive = (await list()).find((one) => one.archiveId === archiveId);
      return archive === undefined ? null : pieceOf(fileOf(archive), from, bytes);
    },
  };
}

function archiveIn(name: string): Omit<FleetArchive, 'bytes'> | null {
  const [, version, arch, archiveId] = KEPT.exec(name) ?? [];
  if (version === undefined || arch === undefined || archiveId === undefined) return null;
  return { version, arch, archiveId };
}

async function pieceOf(file: string, from: number, bytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    const handle = await open(file, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(new Uint8Array(bytes), 0, bytes, from);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw new CodedError('store-unavailable', `the archive cannot be read: ${String(error)}`);
  }
}
