import { CodedError } from '../../domain/error.ts';
import { errorMessage } from '../../domain/error-text.ts';
import type { Clock, Incidents, Log } from '../ports.ts';
import type { BackupApi, BackupFiles, BackupView } from './backup-ports.ts';

export interface BackupsOptions {
  /** Copies the database page by page while it is written; resolves when the copy is on disk. */
  readonly copy: (file: string) => Promise<void>;
  readonly files: BackupFiles;
  /** The number of backups that `takeAndRotate` leaves. */
  readonly keep: number;
  readonly clock: Clock;
  readonly incidents: Incidents;
  readonly log: Log;
}

/** Takes backups, one at a time. One that cannot be verified is removed. */
export class Backups implements BackupApi {
  readonly #options: BackupsOptions;
  #isUnderWay = false;

  constructor(options: BackupsOptions) {
    this.#options = options;
  }

  /** Takes one, and deletes the oldest beyond `keep`. */
  async takeAndRotate(): Promise<BackupView> {
    const taken = await this.take();
    const { files, keep } = this.#options;
    for (const { file } of (await files.list()).slice(keep)) await files.remove(file);
    return taken;
  }

  async take(): Promise<BackupView> {
    if (this.#isUnderWay) throw new CodedError('conflict', 'a backup is being taken: wait until it is done');
    this.#isUnderWay = true;
    try {
      return await this.#take();
    } catch (error) {
      const reason = errorMessage(error);
      this.#options.incidents.report({ kind: 'store', subject: 'backup', detail: reason });
      throw new CodedError('store-unavailable', `the backup was not taken: ${reason}`);
    } finally {
      this.#isUnderWay = false;
    }
  }

  list(): Promise<readonly BackupView[]> {
    return this.#options.files.list();
  }

  async #take(): Promise<BackupView> {
    const { copy, files, clock, log } = this.#options;
    const startMs = clock.now().monotonicMs;
    const file = await files.place(clock.now().wallMs);
    try {
      await copy(file);
      await files.verify(file);
    } catch (error) {
      await files.remove(file);
      throw error;
    }
    const taken = (await files.list()).find((one) => one.file === file);
    if (taken === undefined) throw new Error(`${file} is gone`);
    log.info({ ...taken, tookMs: Math.round(clock.now().monotonicMs - startMs) }, 'backup taken and verified');
    return taken;
  }
}
