import { CodedError } from '../../domain/error.ts';
import type { ArchiveStore, FleetArchive } from '../../flows/fleet-update/fleet-update-ports.ts';
import type { Postgres } from '../postgres/postgres.ts';

/** Archives for gateways as rows, each piece one. Nothing here has a whole archive in memory (D-111). */
export class ArchiveRows implements Omit<ArchiveStore, 'keep'> {
  readonly #postgres: Postgres;

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  /** Those that are kept, the oldest first. */
  list(): Promise<readonly FleetArchive[]> {
    return this.#postgres.query<FleetArchive>(
      `SELECT archive_id AS "archiveId", version, arch, bytes FROM central.update_archive
       WHERE archive_id IS NOT NULL ORDER BY begun_at`,
    );
  }

  begin(uploadId: string, bytes: number): Promise<void> {
    return this.#postgres.transact(async () => {
      await this.#postgres.run('DELETE FROM central.update_archive WHERE archive_id IS NULL');
      await this.#postgres.run(
        `INSERT INTO central.update_archive (upload_id, bytes, received_bytes, begun_at)
         VALUES ($1, $2, 0, extract(epoch FROM clock_timestamp()) * 1000)`,
        [uploadId, bytes],
      );
    });
  }

  async upload(uploadId: string): ReturnType<ArchiveStore['upload']> {
    const [row] = await this.#postgres.query<{ bytes: number; receivedBytes: number }>(
      `SELECT bytes, received_bytes AS "receivedBytes" FROM central.update_archive
       WHERE upload_id = $1 AND archive_id IS NULL`,
      [uploadId],
    );
    return row ?? null;
  }

  add(uploadId: string, offset: number, piece: Uint8Array): Promise<void> {
    return this.#postgres.transact(async () => {
      const taken = await this.#postgres.run(
        `UPDATE central.update_archive SET received_bytes = received_bytes + $3
         WHERE upload_id = $1 AND archive_id IS NULL AND received_bytes = $2`,
        [uploadId, offset, piece.byteLength],
      );
      if (taken === 0) throw new CodedError('conflict', `offset: another piece has come at ${offset} meanwhile`);
      await this.#postgres.run(
        'INSERT INTO central.update_archive_part (upload_id, from_byte, content) VALUES ($1, $2, $3)',
        [uploadId, offset, Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)],
      );
    });
  }

  /** Gives each piece of an archive that has come as a whole. Rejects with `not-found` if it was removed. */
  async forEachPiece(uploadId: string, bytes: number, take: (piece: Buffer, offset: number) => Promise<void>) {
    for (let offset = 0; offset < bytes; ) {
      const [row] = await this.#postgres.query<{ content: Buffer }>(
        'SELECT content FROM central.update_archive_part WHERE upload_id = $1 AND from_byte = $2',
        [uploadId, offset],
      );
      if (row === undefined) throw ended();
      await take(row.content, offset);
      offset += row.content.byteLength;
    }
  }

  /** Keeps an archive that was verified; the same one from before gives way. Rejects with `not-found` if it was removed. */
  keepAs(uploadId: string, { archiveId, version, arch }: Omit<FleetArchive, 'bytes'>): Promise<FleetArchive> {
    return this.#postgres.transact(async () => {
      await this.#postgres.run('DELETE FROM central.update_archive WHERE archive_id = $1 AND upload_id <> $2', [
        archiveId,
        uploadId,
      ]);
      const [kept] = await this.#postgres.query<{ bytes: number }>(
        `UPDATE central.update_archive SET archive_id = $2, version = $3, arch = $4 WHERE upload_id = $1 RETURNING bytes`,
        [uploadId, archiveId, version, arch],
      );
      if (kept === undefined) throw ended();
      return { archiveId, version, arch, bytes: kept.bytes };
    });
  }

  async discard(uploadId: string): Promise<void> {
    await this.#postgres.run('DELETE FROM central.update_archive WHERE upload_id = $1 AND archive_id IS NULL', [
      uploadId,
    ]);
  }

  async remove({ archiveId }: FleetArchive): Promise<void> {
    await this.#postgres.run('DELETE FROM central.update_archive WHERE archive_id = $1', [archiveId]);
  }

  async read(archiveId: string, from: number, bytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
    const [found] = await this.#postgres.query<{ piece: Buffer<ArrayBuffer> | null }>(
      `SELECT (SELECT substring(content FROM ($2::int8 - from_byte + 1)::int FOR $3::int) FROM central.update_archive_part
         WHERE upload_id = archive.upload_id AND from_byte <= $2 ORDER BY from_byte DESC LIMIT 1) AS piece
       FROM central.update_archive AS archive WHERE archive_id = $1`,
      [archiveId, from, bytes],
    );
    return found === undefined ? null : (found.piece ?? new Uint8Array());
  }
}

function ended(): CodedError {
  return new CodedError('not-found', 'this upload has ended: begin again');
}
