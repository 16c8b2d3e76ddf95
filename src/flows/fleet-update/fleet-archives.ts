import { CodedError, invalidInput, noSuch } from '../../domain/error.ts';
import { errorMessage } from '../../domain/error-text.ts';
import { WorkQueue } from '../../domain/work-queue.ts';
import type { ArchiveStore, ArchiveUpload, FleetArchive } from './fleet-update-ports.ts';

export interface FleetArchivesOptions {
  readonly store: ArchiveStore;
  readonly newId: () => string;
}

/** Archives that are kept; one more takes the place of one that no roll-out needs. */
export const MAX_ARCHIVES = 4;

/** Signed archives for gateways that send here: received in pieces, verified, and kept (D-107, D-111). */
export class FleetArchives {
  readonly #options: FleetArchivesOptions;
  readonly #steps = new WorkQueue();

  constructor(options: FleetArchivesOptions) {
    this.#options = options;
  }

  list(): Promise<readonly FleetArchive[]> {
    return this.#options.store.list();
  }

  /** Rejects with `not-found` for an archive that is not kept. */
  async find(archiveId: string): Promise<FleetArchive> {
    const found = (await this.list()).find((archive) => archive.archiveId === archiveId);
    if (found === undefined) throw noSuch('archive', archiveId, 'send it first');
    return found;
  }

  /** Makes room for an archive of this length. An earlier upload ends. `needed`: archives that have to stay. */
  begin(bytes: number, needed: ReadonlySet<string>): Promise<{ readonly uploadId: string }> {
    return this.#step(async () => {
      const { store, newId } = this.#options;
      const kept = await store.list();
      const free = kept.filter(({ archiveId }) => !needed.has(archiveId));
      const excess = kept.length + 1 - MAX_ARCHIVES;
      if (excess > free.length) throw new CodedError('conflict', 'all archives that are kept are being rolled out');
      for (const archive of free.slice(0, Math.max(0, excess))) await store.remove(archive);
      const uploadId = newId();
      await store.begin(uploadId, bytes);
      return { uploadId };
    });
  }

  /** Rejects with `not-found` if the upload has ended, `conflict` if the offset is not where the last piece ended. */
  add(uploadId: string, offset: number, piece: Uint8Array): Promise<void> {
    return this.#step(async () => {
      const { bytes, receivedBytes } = await this.#find(uploadId);
      if (offset !== receivedBytes) {
        throw new CodedError('conflict', `offset: found ${offset}, expected ${receivedBytes}: go on there`);
      }
      const end = offset + piece.byteLength;
      if (end > bytes) throw invalidInput([{ path: 'body', found: `${end} bytes in all`, expected: String(bytes) }]);
      await this.#options.store.add(uploadId, offset, piece);
    });
  }

  /** Verifies the whole archive and keeps it. A refused one is removed: `invalid-input` with the reason. */
  finish(uploadId: string): Promise<FleetArchive> {
    return this.#step(async () => {
      const { store } = this.#options;
      const { bytes, receivedBytes } = await this.#find(uploadId);
      if (receivedBytes !== bytes)
        throw new CodedError('conflict', `${receivedBytes} of ${bytes} bytes have come: send the others first`);
      try {
        return await store.keep(uploadId);
      } catch (error) {
        await store.discard(uploadId);
        throw error;
      }
    });
  }

  /** A piece of an archive, at most `bytes` of it; null if it is not kept. */
  read(archiveId: string, from: number, bytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
    return this.#options.store.read(archiveId, from, bytes);
  }

  async #find(uploadId: string): Promise<ArchiveUpload> {
    const upload = await this.#options.store.upload(uploadId);
    if (upload !== null) return upload;
    throw new CodedError('not-found', 'this upload has ended: begin again');
  }

  /** Two steps at once would write into the same file. */
  #step<T>(step: () => Promise<T>): Promise<T> {
    return this.#steps.run(async () => {
      try {
        return await step();
      } catch (error) {
        if (error instanceof CodedError) throw error;
        throw new CodedError('store-unavailable', `the update cannot go on: ${errorMessage(error)}`);
      }
    });
  }
}
