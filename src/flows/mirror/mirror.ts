import { errorMessage } from '../../domain/error-text.ts';
import { WorkQueue } from '../../domain/work-queue.ts';
import type { Incidents } from '../ports.ts';
import type { ListMirror } from './list-mirror.ts';
import type { MirrorAges } from './mirror-ages.ts';
import { MirrorFault } from './mirror-fetch.ts';
import {
  MIRRORED_LISTS,
  MIRRORED_TABLES,
  type MirroredKind,
  type MirroredTable,
  type ReadingScope,
} from './mirror-ports.ts';
import type { ProfileMirror } from './profile-mirror.ts';
import { isTooMany, type TableMirror } from './table-mirror.ts';

export interface MirrorOptions {
  readonly tables: TableMirror;
  readonly lists: ListMirror;
  readonly profiles: ProfileMirror;
  /** False: the server has no summaries of orders. */
  readonly readOrders: () => Promise<boolean>;
  readonly ages: MirrorAges;
  /** Keeps the age of a kind that is not kept by its reading. */
  readonly noteAge: (kind: MirroredKind, at: number) => Promise<void>;
  readonly pollMs: number;
  readonly clock: { now(): { readonly monotonicMs: number; readonly wallMs: number } };
  /** Calls `act` after the delay. The function that it gives cancels this. */
  readonly after: (delayMs: number, act: () => void) => () => void;
  readonly incidents: Incidents;
  readonly onTableChanged: (kind: MirroredTable, changed: readonly string[], changes: number) => void;
}

/** All records are read in this interval, or after a hint. */
const WHOLE_MS = 60_000;
/** While the server is away it is asked less and less often. */
const LONGEST_WAIT_MS = 60_000;

/**
 * Keeps the records that the central server decides about equal to the server's (UP-07): every `pollSeconds` the small
 * lists, the incomplete tasks, and coils and profiles if the last reading of them was cheap; every minute everything. A
 * change that is queued here or unconfirmed stays until it is neither.
 *
 *     waiting ──poll──▶ reading ──▶ waiting            (done: the ages are new)
 *                          └──fault──▶ waiting longer   (away or unintelligible: nothing changes)
 */
export class Mirror {
  readonly #options: MirrorOptions;
  #cancel: () => void = () => undefined;
  #wholeAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #areCoilsCheap = false;
  #isStopped = false;
  #reading: Promise<void> | null = null;
  /** Of single records. */
  readonly #refreshes = new WorkQueue();

  constructor(options: MirrorOptions) {
    this.#options = options;
  }

  start(): void {
    this.#schedule(0);
  }

  /** Reads no further kind. Resolves when the reading and the refreshes under way have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await Promise.allSettled([this.#reading, this.#refreshes.run(() => Promise.resolve())]);
  }

  /** Reads everything at once, because more may have changed there than is read each time. */
  hint(): void {
    this.#wholeAt = Number.NEGATIVE_INFINITY;
    if (this.#reading === null && !this.#isStopped) this.#schedule(0);
  }

  /**
   * Reads the record of an entity (operation.ts) again, because the server refused a change that was made here (D-18).
   */
  refresh(entity: string): Promise<void> {
    return this.#refreshes.run(() => this.#refresh(entity));
  }

  #schedule(delayMs: number): void {
    this.#cancel();
    this.#cancel = this.#options.after(delayMs, () => {
      this.#reading ??= this.#turn().finally(() => {
        this.#reading = null;
        if (!this.#isStopped) this.#schedule(this.#waitMs());
      });
    });
  }

  #waitMs(): number {
    const { pollMs } = this.#options;
    if (this.#failures === 0) return pollMs;
    return Math.max(pollMs, Math.min(LONGEST_WAIT_MS, pollMs * 2 ** this.#failures));
  }

  async #turn(): Promise<void> {
    const { monotonicMs } = this.#options.clock.now();
    const isWhole = monotonicMs - this.#wholeAt >= WHOLE_MS;
    const kinds = isWhole ? WHOLE : this.#often();
    // A hint that comes during the reading counts for the next one.
    if (isWhole) this.#wholeAt = monotonicMs;
    let isFailing = false;
    for (const kind of kinds) {
      if (this.#isStopped) return;
      const outcome = await this.#try(kind, isWhole);
      if (outcome !== 'done') isFailing = true;
      if (outcome === 'away') break;
    }
    this.#failures = isFailing ? this.#failures + 1 : 0;
    if (isFailing && isWhole) this.#wholeAt = Number.NEGATIVE_INFINITY;
  }

  #often(): readonly MirroredKind[] {
    const coils = this.#areCoilsCheap ? (['coils'] as const) : [];
    const profiles = this.#options.profiles.isCheap ? (['profiles'] as const) : [];
    return [...MIRRORED_LISTS, 'tasks', ...coils, ...profiles];
  }

  /** A kind that cannot be read leaves the others to be read. */
  async #try(kind: MirroredKind, isWhole: boolean): Promise<'done' | 'failed' | 'away'> {
    const { ages, clock, incidents } = this.#options;
    try {
      const isThere = await this.#read(kind, isWhole);
      if (isThere) ages.note(kind, clock.now().wallMs);
      return 'done';
    } catch (error) {
      if (error instanceof MirrorFault && error.isAway) return 'away';
      const detail = `${kind} are not mirrored: ${errorMessage(error)}`;
      incidents.report({ kind: 'upstream', subject: kind, detail });
      return 'failed';
    }
  }

  async #read(kind: MirroredKind, isWhole: boolean): Promise<boolean> {
    const { lists, profiles, readOrders } = this.#options;
    if (kind === 'coils') return this.#readTable('coils', 'all', isWhole);
    if (kind === 'tasks') return this.#readTable('tasks', isWhole ? 'all' : 'incomplete', isWhole);
    if (kind === 'orders') return readOrders();
    const isThere = kind === 'profiles' ? await profiles.read(isWhole) : await lists.read(kind);
    if (isThere && isWhole) await this.#options.noteAge(kind, this.#options.clock.now().wallMs);
    return isThere;
  }

  async #readTable(kind: MirroredTable, scope: ReadingScope, isWhole: boolean): Promise<true> {
    const { tables, onTableChanged } = this.#options;
    const { changed, changes, missing, unlisted, isCheap } = await tables.read(kind, scope, isWhole);
    if (kind === 'coils') this.#areCoilsCheap = isCheap;
    if (changes > 0) onTableChanged(kind, changed, changes);
    // Only a reading of everything shows whether they are gone.
    if (missing > 0 || isTooMany(unlisted)) this.#wholeAt = Number.NEGATIVE_INFINITY;
    else for (const taskId of unlisted) await this.#refreshRow('tasks', taskId);
    return true;
  }

  async #refresh(entity: string): Promise<void> {
    const { profiles, incidents } = this.#options;
    const type = entity.slice(0, entity.indexOf(':'));
    const id = entity.slice(type.length + 1);
    try {
      if (type === 'task') await this.#refreshRow('tasks', id);
      else if (type === 'coil') await this.#refreshRow('coils', id);
      else if (type === 'profile' && (await profiles.readOne(id))) return;
      else this.hint();
    } catch (error) {
      // The next reading brings it.
      this.#wholeAt = Number.NEGATIVE_INFINITY;
      incidents.report({ kind: 'upstream', subject: entity, detail: `${entity} was not read again: ${String(error)}` });
    }
  }

  async #refreshRow(kind: MirroredTable, id: string): Promise<void> {
    const { tables, onTableChanged } = this.#options;
    const { isThere, isChanged } = await tables.readOne(kind, id);
    if (isChanged) onTableChanged(kind, [id], 1);
    if (!isThere) this.#wholeAt = Number.NEGATIVE_INFINITY;
  }
}

const WHOLE: readonly MirroredKind[] = [...MIRRORED_LISTS, ...MIRRORED_TABLES, 'profiles', 'orders'];
