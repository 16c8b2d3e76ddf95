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
    for (const { file } of newestFirst(await files.list(), taken).slice(keep)) await files.remove(file);
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
    try {
      await copy(await files.begin());
      const taken = await files.finish(clock.now().wallMs);
      log.info({ ...taken, tookMs: Math.round(clock.now().monotonicMs - startMs) }, 'backup taken and verified');
      return taken;
    } catch (error) {
      await files
        .abandon()
        .catch((left: unknown) =>
          log.warn({ error: errorMessage(left) }, 'the files of a failed backup were not removed'),
        );
      throw error;
    }
  }
}

/**
 * Backups in the order in which they were taken. Those with a later time than the newest were taken before it, when the
 * clock was wrong or before it was put back.
 */
function newestFirst(backups: readonly BackupView[], newest: BackupView): readonly BackupView[] {
  const isLater = ({ takenAt }: BackupView) => takenAt > newest.takenAt;
  return [...backups.filter((backup) => !isLater(backup)), ...backups.filter(isLater)];
}
