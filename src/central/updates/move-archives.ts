import { randomUUID } from 'node:crypto';
import { keptArchiveFiles } from '../../adapters/update/archive-files.ts';
import { MIB } from '../../domain/byte-units.ts';
import { CodedError } from '../../domain/error.ts';
import type { FleetArchive } from '../../flows/fleet-update/fleet-update-ports.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { ArchiveRows } from './archive-rows.ts';

/** An archive is never whole in memory. */
const PIECE_BYTES = MIB;

/**
 * Moves the archives for gateways from a data directory into PostgreSQL. They were verified when they came. Each is read
 * back and compared, and only then deleted here. It may be repeated after a fault. Rejects with `conflict` if one differs.
 */
export async function moveArchives(dataDir: string, postgres: Postgres, tell: (line: string) => void): Promise<void> {
  const rows = new ArchiveRows(postgres);
  const files = keptArchiveFiles(dataDir);
  const pieceOf = async ({ archiveId }: FleetArchive, offset: number) =>
    (await files.read(archiveId, offset, PIECE_BYTES)) ?? new Uint8Array();
  for (const archive of await files.list()) {
    const uploadId = randomUUID();
    await rows.begin(uploadId, archive.bytes);
    for (let offset = 0; offset < archive.bytes; offset += PIECE_BYTES) {
      await rows.add(uploadId, offset, await pieceOf(archive, offset));
    }
    await rows.forEachPiece(uploadId, archive.bytes, async (piece, offset) => {
      if (piece.equals(await pieceOf(archive, offset))) return;
      throw new CodedError('conflict', `archive ${archive.version}: found another piece in PostgreSQL at ${offset}`);
    });
    await rows.keepAs(uploadId, archive);
    await files.remove(archive);
    tell(`archive ${archive.version} for ${archive.arch}: ${archive.bytes} bytes`);
  }
}
