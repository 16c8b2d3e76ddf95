import { CodedError } from '../../domain/error.ts';
import { errorMessage } from '../../domain/error-text.ts';
import type { Clock, Incidents, Log } from '../ports.ts';
import type { BackupFiles, BackupView } from './backup-ports.ts';

export interface BackupsOptions {
  /** Copies the database page by page while it is written; resolves when the copy is on disk. */
  readonly copy: (file: string) => Promise<void>;
  readonly files: BackupFiles;
  /** The number of backups that stay when the oldest are deleted. */
  readonly keep: number;
  /** A backup by hand then deletes nothing: the next scheduled one deletes the oldest beyond `keep`, of both kinds. */
  readonly isScheduled: boolean;
  /** Those of the other plants of a central server, which are taken with this one. */
  readonly others?: readonly Backups[];
  readonly clock: Clock;
  readonly incidents: Incidents;
  readonly log: Log;
}

/** Takes backups, one at a time. One that cannot be verified is removed. */
export class Backups {
  readonly #options: BackupsOptions;
  #isUnderWay = false;

  constructor(options: BackupsOptions) {
    this.#options = options;
  }

  /** Takes one because a person asked for it. Rejects like `takeAndRotate`. */
  async take(): Promise<BackupView> {
    if (!this.#options.isScheduled) return this.takeAndRotate();
    const taken = await this.#takeAlone();
    for (const other of this.#options.others ?? []) await other.take();
    return taken;
  }

  /**
   * Takes one, verifies it, and deletes the oldest beyond `keep`. Rejects with `conflict` while another is being taken,
   * `store-unavailable` if it fails.
   */
  async takeAndRotate(): Promise<BackupView> {
    const taken = await this.#takeAlone();
    const { files, keep, others = [] } = this.#options;
    for (const { file } of newestFirst(await files.list(), taken).slice(keep)) await files.remove(file);
    for (const other of others) await other.takeAndRotate();
    return taken;
  }

  async #takeAlone(): Promise<BackupView> {
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

  /** The newest first. */
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
