import { CodedError } from '../../domain/error.ts';
import { errorMessage } from '../../domain/error-text.ts';
import { MAX_REASON_LENGTH, type TakenUpdate, type UpdateReport } from '../../domain/fleet/update/update-report.ts';
import type { Audit } from '../audit/audit.ts';
import type { FollowedTarget } from '../fleet-plan/ask-for-plan.ts';
import { SYNC_PATH } from '../forward/discover-server.ts';
import { ForwardLoop } from '../forward/forward-loop.ts';
import type { HealthReporterOptions } from '../forward/health-reporter.ts';
import { Polled } from '../polled.ts';
import type { Incidents } from '../ports.ts';
import type { Store } from '../store-ports.ts';
import type { RequestUpdate } from '../update/request-update.ts';
import type { FleetUpdateQueries } from './fleet-update-ports.ts';

export interface UpdateFollowerOptions
  extends Pick<HealthReporterOptions, 'server' | 'isConnected' | 'gatewayId' | 'clock' | 'after' | 'log'> {
  readonly store: Pick<FleetUpdateQueries, 'takenUpdate'> & Pick<Store, 'write'> & HealthReporterOptions['store'];
  readonly updates: Pick<RequestUpdate, 'view' | 'begin' | 'add' | 'verify' | 'install'>;
  readonly version: string;
  readonly arch: string;
  /** An update was handed to root, or will not be installed. */
  readonly onOutcome: (version: string, failure: string | null) => void;
  /** There is something to report at once. */
  readonly onNews: () => void;
}

/** The update that this gateway is given. */
type Given = FollowedTarget['update'] & object;

/** What this gateway remembers over restarts. */
interface Memory {
  readonly updateId: string;
  readonly version: string;
  /** The time of the last outcome before it was handed to root: a later one is that of this update. */
  readonly outcomeBefore: string | null;
  /** The reason for which it is not tried again; null: it is with root. */
  readonly failure: string | null;
}

const LOOK_MS = 1_000;
const IDLE_MS = 60_000;
/** What installs updates on this computer changes seldom. */
const OBSTACLE_EVERY_MS = 10_000;
/** The pause while root installs, and after a piece that did not come. */
const WATCH_MS = 5_000;
/** A piece on a line of 16 KiB a second takes 4 s. */
export const PIECE_BYTES = 65_536;

/**
 * Fetches the update that the central server gives this gateway, piece by piece, and hands it to root by the way of updates
 * from the page (D-46, D-107): verified here, verified by root, and rolled back by root if it does not serve.
 */
export class UpdateFollower extends ForwardLoop {
  readonly #options: UpdateFollowerOptions;
  readonly #startedMs: number;
  readonly #obstacle: Polled<Pick<UpdateReport, 'obstacle'>>;
  #given: Given | null = null;
  #memory: Memory | null = null;
  #isRestored = false;
  /** It was handed to root in this run. */
  #isHanded = false;
  #upload: { readonly updateId: string; readonly uploadId: string; readonly receivedBytes: number } | null = null;

  constructor(options: UpdateFollowerOptions) {
    super(options.after);
    this.#options = options;
    this.#startedMs = options.clock.now().monotonicMs;
    const ask = async () => {
      const { obstacle } = await options.updates.view();
      return { obstacle };
    };
    const onFault = (error: unknown) =>
      options.log.debug({ error: errorMessage(error) }, 'updates cannot be looked at');
    this.#obstacle = new Polled(OBSTACLE_EVERY_MS, ask, onFault);
    this.#obstacle.at(this.#startedMs);
  }

  give(given: Given | null): void {
    this.#given = given;
    this.wake();
  }

  /** For the report of this gateway's condition; undefined: it is not known yet. A slow disk is not waited for. */
  async report(): Promise<UpdateReport | undefined> {
    await this.#restore();
    const { arch, clock } = this.#options;
    const { monotonicMs } = clock.now();
    const known = this.#obstacle.at(monotonicMs);
    if (known === null) return undefined;
    return { arch, ...known, upForMs: Math.round(monotonicMs - this.#startedMs), taken: this.#taken() };
  }

  #taken(): TakenUpdate | null {
    const upload = this.#upload;
    if (upload !== null) {
      const { updateId, receivedBytes } = upload;
      return { updateId, state: 'fetching', receivedBytes, reason: '' };
    }
    if (this.#memory === null) return null;
    const { updateId, version, failure } = this.#memory;
    const state = version === this.#options.version ? 'installed' : failure === null ? 'installing' : 'failed';
    return { updateId, state, receivedBytes: 0, reason: state === 'failed' ? (failure ?? '') : '' };
  }

  protected override async turn(): Promise<number> {
    const given = this.#given;
    if (given === null) return IDLE_MS;
    if (!this.#options.isConnected()) return LOOK_MS;
    try {
      await this.#restore();
      if (this.#memory?.updateId === given.updateId) return await this.#watch(this.#memory);
      return given.version === this.#options.version ? IDLE_MS : await this.#fetch(given);
    } catch (error) {
      this.#options.log.debug({ error: errorMessage(error) }, 'the update of the central server did not go on');
      return WATCH_MS;
    }
  }

  async #restore(): Promise<void> {
    if (this.#isRestored) return;
    const text = await this.#options.store.takenUpdate();
    // As `#keep` wrote it.
    this.#memory = text === null ? null : (JSON.parse(text) as Memory);
    this.#isRestored = true;
  }

  /** Root has it: what has come of it? */
  async #watch(memory: Memory): Promise<number> {
    const { version, updates } = this.#options;
    if (memory.version === version || memory.failure !== null) return IDLE_MS;
    const { outcome, upload } = await updates.view();
    const isNew = outcome !== null && outcome.at !== memory.outcomeBefore;
    if (isNew && outcome.result !== 'underWay' && outcome.result !== 'installed') {
      return this.#fail(memory, `${outcome.result}: ${outcome.reason}`);
    }
    if (upload.state === 'untaken') return this.#fail(memory, 'no service of this computer took it');
    // The gateway was started again before root took the request, which is gone by that.
    if (!isNew && !this.#isHanded) await this.#forget();
    return WATCH_MS;
  }

  /** The next piece of the archive, or what comes after the last. */
  async #fetch(given: Given): Promise<number> {
    const upload = await this.#uploadOf(given);
    if (upload === null) return IDLE_MS;
    if (upload.receivedBytes >= given.bytes) return this.#handOver(given, upload.uploadId);
    const piece = await this.#piece(given, upload.receivedBytes);
    if (piece === null) return WATCH_MS;
    try {
      await this.#options.updates.add(upload.uploadId, upload.receivedBytes, piece);
    } catch (error) {
      // A person has begun an upload of another archive, or the disk is full.
      this.#upload = null;
      throw error;
    }
    this.#upload = { ...upload, receivedBytes: upload.receivedBytes + piece.length };
    return 0;
  }

  /** Null: updates are not installed here, or a person sends one. */
  async #uploadOf({ updateId, bytes }: Given) {
    const { updates } = this.#options;
    if (this.#upload?.updateId === updateId) return this.#upload;
    const { obstacle, upload } = await updates.view();
    if (obstacle !== null || (upload.state !== 'none' && upload.state !== 'untaken' && this.#upload === null))
      return null;
    const { uploadId } = await updates.begin(bytes);
    this.#upload = { updateId, uploadId, receivedBytes: 0 };
    return this.#upload;
  }

  async #piece({ updateId, bytes }: Given, from: number): Promise<Uint8Array | null> {
    const { server, store, gatewayId } = this.#options;
    const { stream } = await store.queueTotals('batch');
    if (stream === null) return null;
    const query = new URLSearchParams({ gatewayId, stream, from: String(from) });
    const path = `${SYNC_PATH}/update/${encodeURIComponent(updateId)}?${query}`;
    const answer = await server.ask({ method: 'GET', path, maxAnswerBytes: PIECE_BYTES });
    if (answer.kind !== 'answered' || answer.status !== 200 || answer.extent !== 'whole') return null;
    return answer.bytes.length === 0 ? null : answer.bytes.subarray(0, bytes - from);
  }

  async #handOver({ updateId, version }: Given, uploadId: string): Promise<number> {
    const { updates, onOutcome } = this.#options;
    this.#upload = null;
    const memory: Memory = { updateId, version, outcomeBefore: null, failure: null };
    let outcomeBefore: string | null;
    try {
      const { outcome } = await updates.verify(uploadId);
      outcomeBefore = outcome?.at ?? null;
    } catch (error) {
      if (error instanceof CodedError && error.code === 'invalid-input') return this.#fail(memory, error.message);
      throw error;
    }
    // Root may have installed it before the answer of this run is on disk, so the memory comes first.
    await this.#keep({ ...memory, outcomeBefore });
    this.#isHanded = true;
    try {
      await updates.install(version);
    } catch (error) {
      return this.#fail(memory, errorMessage(error));
    }
    onOutcome(version, null);
    this.#options.onNews();
    return WATCH_MS;
  }

  async #fail(memory: Memory, reason: string): Promise<number> {
    const failure = reason.slice(0, MAX_REASON_LENGTH);
    await this.#keep({ ...memory, failure });
    this.#options.onOutcome(memory.version, failure);
    this.#options.onNews();
    return IDLE_MS;
  }

  async #keep(memory: Memory): Promise<void> {
    await this.#options.store.write([{ kind: 'takenUpdate', json: JSON.stringify(memory) }]);
    this.#memory = memory;
  }

  async #forget(): Promise<void> {
    await this.#options.store.write([{ kind: 'takenUpdate', json: 'null' }]);
    this.#memory = null;
  }
}

/** Keeps at this gateway that an update of its central server was handed to root, or failed. */
export function tellUpdateOutcome(
  { audit, incidents }: { readonly audit: Pick<Audit, 'note'>; readonly incidents: Incidents },
  version: string,
  failure: string | null,
): void {
  const act = failure === null ? 'installUpdate' : 'refuseUpdate';
  const after = failure === null ? null : JSON.stringify({ failure });
  audit.note({ who: 'central server', role: '', address: '', act, subject: version, before: null, after });
  if (failure === null) return;
  const detail = `the update to version ${version} was not installed: ${failure}`;
  incidents.report({ kind: 'upstream', subject: 'update', detail });
}
