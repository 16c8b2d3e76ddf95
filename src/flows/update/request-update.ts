import { CodedError, invalidInput } from '../../domain/error.ts';
import { errorMessage } from '../../domain/error-text.ts';
import type { Log } from '../ports.ts';
import type { UpdateFiles, UpdateObstacle, UpdateView, UploadView } from './update-ports.ts';

/** An upload without a piece for this long is removed, and so is a verified archive that is not installed. */
export const MAX_UPLOAD_IDLE_MS = 3_600_000;
/** The service that installs starts within a second. A request that waits for longer is taken back. */
export const MAX_REQUEST_WAIT_MS = 30_000;

export interface RequestUpdateOptions {
  readonly files: UpdateFiles;
  readonly version: string;
  readonly newId: () => string;
  /** Calls `act` once after a time. Gives a function that cancels it. */
  readonly after: (delayMs: number, act: () => void) => () => void;
  readonly log: Log;
}

interface Upload extends UploadView {
  readonly uploadId: string;
  /** The time of the outcome before the request: a later one is that of the request. */
  readonly outcomeBefore: string | null;
}

const NONE: Upload = {
  uploadId: '',
  state: 'none',
  bytes: 0,
  receivedBytes: 0,
  version: null,
  outcomeBefore: null,
};

const OBSTACLES: Readonly<Record<UpdateObstacle, string>> = {
  package: 'a package has installed plantgate: update it with the package manager',
  noService: 'no service of this computer takes updates from the page: run "plantgate update FILE" as root',
};

/**
 * One archive at a time: received, verified, and handed to root, who verifies it again (D-46). The gateway may not
 * replace its own program.
 */
export class RequestUpdate {
  readonly #options: RequestUpdateOptions;
  #upload = NONE;
  #isBusy = false;
  #cancelTimer: () => void = () => undefined;

  constructor(options: RequestUpdateOptions) {
    this.#options = options;
  }

  async view(): Promise<UpdateView> {
    const { files, version } = this.#options;
    const [obstacle, outcome] = await Promise.all([files.obstacle(), files.outcome()]);
    const isAnswered = outcome !== null && outcome.result !== 'underWay' && outcome.at !== this.#upload.outcomeBefore;
    if (this.#upload.state === 'requested' && isAnswered) this.#become(NONE);
    const { state, bytes, receivedBytes, version: sent } = this.#upload;
    return { version, obstacle, upload: { state, bytes, receivedBytes, version: sent }, outcome };
  }

  /** Makes room for an archive of this length. An earlier upload ends. Rejects with `store-unavailable` without room. */
  begin(bytes: number): Promise<{ readonly uploadId: string }> {
    return this.#alone(async () => {
      const { files, newId } = this.#options;
      await this.#refuseObstacle();
      await this.#refuseRequested();
      await this.#orGiveUp(() => files.create(bytes));
      const uploadId = newId();
      this.#become({ ...NONE, uploadId, state: 'receiving', bytes });
      return { uploadId };
    });
  }

  /** Rejects with `not-found` if the upload has ended, `conflict` if the offset is not where the last piece ended. */
  add(uploadId: string, offset: number, piece: Uint8Array): Promise<void> {
    return this.#alone(async () => {
      const upload = this.#find(uploadId);
      const { bytes, receivedBytes } = upload;
      if (offset !== receivedBytes) throw conflict(`offset: found ${offset}, expected ${receivedBytes}: go on there`);
      const end = offset + piece.byteLength;
      if (end > bytes) throw invalidInput([{ path: 'body', found: `${end} bytes in all`, expected: String(bytes) }]);
      await this.#orGiveUp(() => this.#options.files.write(piece, offset));
      this.#become({ ...upload, receivedBytes: end });
    });
  }

  /** Verifies the whole archive. A refused one is removed: `invalid-input` with the reason. */
  verify(uploadId: string): Promise<UpdateView> {
    return this.#alone(async () => {
      const upload = this.#find(uploadId);
      const { bytes, receivedBytes } = upload;
      if (receivedBytes !== bytes)
        throw conflict(`${receivedBytes} of ${bytes} bytes have come: send the others first`);
      this.#become({ ...upload, state: 'verifying' });
      const { version } = await this.#orGiveUp(() => this.#options.files.verify());
      this.#become({ ...upload, state: 'ready', version });
      return this.view();
    });
  }

  discard(): Promise<void> {
    return this.#alone(async () => {
      await this.#refuseRequested();
      await this.#giveUp();
    });
  }

  /** Asks for the installation of the verified archive. Rejects with `conflict` if it has another version. */
  install(version: string): Promise<UpdateView> {
    return this.#alone(async () => {
      const { files } = this.#options;
      const { state, version: sent } = this.#upload;
      if (state !== 'ready' || sent !== version)
        throw conflict(`version ${version} is not verified here: send it first`);
      await this.#refuseObstacle();
      const outcome = await files.outcome();
      await files.request();
      this.#become({ ...NONE, state: 'requested', version, outcomeBefore: outcome?.at ?? null });
      return this.view();
    });
  }

  stop(): void {
    this.#cancelTimer();
  }

  #find(uploadId: string): Upload {
    if (this.#upload.state === 'receiving' && this.#upload.uploadId === uploadId) return this.#upload;
    throw new CodedError('not-found', 'this upload has ended: choose the file again');
  }

  async #refuseObstacle(): Promise<void> {
    const obstacle = await this.#options.files.obstacle();
    if (obstacle !== null) throw conflict(OBSTACLES[obstacle]);
  }

  async #refuseRequested(): Promise<void> {
    const { state, version } = this.#upload;
    if (state !== 'requested' || !(await this.#options.files.isRequested())) return;
    throw conflict(`version ${version} is about to be installed: wait until it is`);
  }

  /** Two steps at once would write into the same file. */
  async #alone<T>(act: () => Promise<T>): Promise<T> {
    if (this.#isBusy) throw conflict('another step of the update is under way: wait until it is done');
    this.#isBusy = true;
    try {
      return await act();
    } catch (error) {
      if (error instanceof CodedError) throw error;
      throw new CodedError('store-unavailable', `the update cannot go on: ${errorMessage(error)}`);
    } finally {
      this.#isBusy = false;
    }
  }

  async #orGiveUp<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      await this.#giveUp();
      throw error;
    }
  }

  async #giveUp(): Promise<void> {
    this.#become(NONE);
    await this.#options.files.remove();
  }

  #become(upload: Upload): void {
    this.#cancelTimer();
    this.#upload = upload;
    const { after } = this.#options;
    if (upload.state === 'receiving' || upload.state === 'ready') {
      this.#cancelTimer = after(MAX_UPLOAD_IDLE_MS, () => this.#unwatched(() => this.#giveUp()));
    }
    if (upload.state === 'requested') {
      this.#cancelTimer = after(MAX_REQUEST_WAIT_MS, () => this.#unwatched(() => this.#withdraw(upload)));
    }
  }

  async #withdraw(upload: Upload): Promise<void> {
    if (await this.#options.files.withdraw()) this.#become({ ...NONE, state: 'untaken', version: upload.version });
  }

  #unwatched(act: () => Promise<void>): void {
    this.#alone(act).catch((error: unknown) =>
      this.#options.log.warn({ error: errorMessage(error) }, 'the files of an update could not be deleted'),
    );
  }
}

function conflict(reason: string): CodedError {
  return new CodedError('conflict', reason);
}
