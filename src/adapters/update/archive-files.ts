import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { CodedError } from '../../domain/error.ts';
import { errorCode } from '../../domain/error-code.ts';
import type {
  ArchiveStore,
  ArchiveUpload,
  FleetArchive,
  VerifyArchive,
} from '../../flows/fleet-update/fleet-update-ports.ts';
import { incomingFile } from './incoming-file.ts';
import { verifyUpdateApart } from './verify-update-apart.ts';

export interface ArchiveFilesOptions {
  readonly dataDir: string;
  readonly verify: VerifyArchive;
}

/** Verifies archives in a thread that starts from `threadEntry` (src/threads.ts). The file of `trustedKeys` need not exist. */
export function archiveVerifier(trustedKeys: string, threadEntry: URL | string): VerifyArchive {
  return (file) => verifyUpdateApart({ file, trustedKeys, isForOthers: true }, threadEntry);
}

const INCOMING = 'fleet-incoming.update';
const KEPT = /^fleet-([\d.]{5,20})-([a-z0-9]{1,16})-([0-9a-f]{64})\.update$/;

/** Archives for gateways that send here, in the data directory; the names say what they are. A restart ends an upload. */
export function archiveFiles({ dataDir, verify }: ArchiveFilesOptions): ArchiveStore {
  const incoming = path.resolve(dataDir, INCOMING);
  const arriving = incomingFile(incoming);
  let upload: (ArchiveUpload & { readonly uploadId: string }) | null = null;
  return {
    ...keptArchiveFiles(dataDir),
    begin: async (uploadId, bytes) => {
      upload = null;
      await arriving.create(bytes);
      upload = { uploadId, bytes, receivedBytes: 0 };
    },
    upload: async (uploadId) => (upload?.uploadId === uploadId ? upload : null),
    add: async (uploadId, offset, piece) => {
      await arriving.write(piece, offset);
      if (upload?.uploadId === uploadId) upload = { ...upload, receivedBytes: offset + piece.byteLength };
    },
    keep: async () => {
      const { version, arch, sha256: archiveId } = await verify(incoming);
      const kept = { archiveId, version, arch };
      await rename(incoming, fileOf(dataDir, kept));
      upload = null;
      return { ...kept, bytes: (await stat(fileOf(dataDir, kept))).size };
    },
    discard: async () => {
      upload = null;
      await arriving.remove();
    },
  };
}

/** The archives that are kept in a data directory. */
export function keptArchiveFiles(dataDir: string): Pick<ArchiveStore, 'list' | 'remove' | 'read'> {
  const list = async () => {
    const named = (await readdir(dataDir)).flatMap((name) => archiveIn(name) ?? []);
    const sizes = await Promise.all(named.map((archive) => stat(fileOf(dataDir, archive)).then(({ size }) => size)));
    return named.map((archive, place) => ({ ...archive, bytes: sizes[place] ?? 0 }));
  };
  return {
    list,
    remove: (archive) => rm(fileOf(dataDir, archive), { force: true }),
    read: async (archiveId, from, bytes) => {
      const archive = (await list()).find((one) => one.archiveId === archiveId);
      return archive === undefined ? null : pieceOf(fileOf(dataDir, archive), from, bytes);
    },
  };
}

function fileOf(dataDir: string, { version, arch, archiveId }: Omit<FleetArchive, 'bytes'>): string {
  return path.resolve(dataDir, `fleet-${version}-${arch}-${archiveId}.update`);
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
