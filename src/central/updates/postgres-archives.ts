import path from 'node:path';
import { incomingFile } from '../../adapters/update/incoming-file.ts';
import type { ArchiveStore, FleetArchive, VerifyArchive } from '../../flows/fleet-update/fleet-update-ports.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { ArchiveRows } from './archive-rows.ts';

export interface PostgresArchivesOptions {
  readonly dataDir: string;
  readonly verify: VerifyArchive;
}

/** An archive that is being verified at this node. */
const VERIFIED = 'fleet-verified.update';

/** Archives for gateways in the database that all nodes share: sent to any of them, given by any of them (D-111). */
export class PostgresArchives extends ArchiveRows implements ArchiveStore {
  readonly #file: string;
  readonly #verify: VerifyArchive;

  constructor(postgres: Postgres, { dataDir, verify }: PostgresArchivesOptions) {
    super(postgres);
    this.#file = path.resolve(dataDir, VERIFIED);
    this.#verify = verify;
  }

  async keep(uploadId: string): Promise<FleetArchive> {
    const copy = incomingFile(this.#file);
    const { bytes } = (await this.upload(uploadId)) ?? { bytes: 0 };
    try {
      await copy.create(bytes);
      await this.forEachPiece(uploadId, bytes, copy.write);
      const { version, arch, sha256: archiveId } = await this.#verify(this.#file);
      return await this.keepAs(uploadId, { archiveId, version, arch });
    } finally {
      await copy.remove();
    }
  }
}
