import { randomBytes } from 'node:crypto';
import { CodedError } from '../../domain/error.ts';
import { FIRST_PLANT } from '../../domain/plant/plant-scope.ts';
import type { Clock, Log } from '../../flows/ports.ts';
import type { Store, StoreRecord } from '../../flows/store-ports.ts';
import type { DatabaseHealth } from '../postgres/database-health.ts';
import { Duty } from '../postgres/duty.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { type CopiedUpTo, JournalFollower } from './follower.ts';
import { type JoinOptions, joinJournal } from './join.ts';
import { Journal } from './journal.ts';
import { NodeCopies, startKeepingCopies } from './node-copies.ts';
import { SharedRecords } from './shared-records.ts';
import { NodeTurns } from './turns.ts';

export interface SharedBusinessOptions {
  readonly plantId: string;
  readonly postgres: Postgres;
  /** For copies, which may take long. */
  readonly upkeep: Postgres;
  readonly health: Pick<DatabaseHealth, 'present'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The parts of a node whose store is open. */
interface OpenNode {
  readonly follower: JournalFollower;
  readonly turns: NodeTurns;
  readonly records: SharedRecords;
}

const RUN_BYTES = 8;
/** A reader waits at most this long for the news of other nodes; then it gets what this node knows. */
const CURRENT_WITHIN_MS = 2_000;

/**
 * The business records of a central server, the same at every node (D-79). The journal in PostgreSQL has them, and each node
 * reads them from a copy in its own database.
 */
export class SharedBusiness {
  readonly #options: SharedBusinessOptions;
  /** It is also the epoch of the numbers that this run gives (number-epochs.ts). */
  readonly #run = randomBytes(RUN_BYTES).toString('hex');
  readonly #journal: Journal;
  readonly #copies: NodeCopies;
  /** Work that one node does for all. */
  readonly duty: Duty;
  readonly #lost = Promise.withResolvers<string>();
  #joined: { readonly dataDir: string; readonly position: CopiedUpTo } | null = null;
  #open: OpenNode | null = null;
  #stopCopies: () => void = () => undefined;

  constructor(options: SharedBusinessOptions) {
    this.#options = options;
    const { plantId, postgres, upkeep, clock, log } = options;
    this.#journal = new Journal(postgres, { plantId, run: this.#run, wallMs: () => clock.now().wallMs });
    this.#copies = new NodeCopies(upkeep, plantId);
    this.duty = new Duty(postgres, plantId === FIRST_PLANT ? 'alerts' : `copies of ${plantId}`, {
      run: this.#run,
      log,
    });
  }

  /** Resolves with the reason for which this node has to be started again, if that ever happens. */
  get lost(): Promise<string> {
    return this.#lost.promise;
  }

  /** Says that this node has to be started again. */
  giveUp(reason: string): void {
    this.#lost.resolve(reason);
  }

  /** Brings the data directory to a place of the journal, before the node's own store is opened. */
  async join(place: Pick<JoinOptions, 'dataDir' | 'open'>): Promise<void> {
    const { clock, log } = this.#options;
    const parts = { journal: this.#journal, copies: this.#copies, wallMs: () => clock.now().wallMs, log };
    const joined = { dataDir: place.dataDir, position: await joinJournal({ ...place, ...parts }) };
    // What was written since comes now, before the state is restored from the own database.
    const own = await place.open();
    try {
      const follower = this.#follow(own.store, joined.position);
      await follower.catchUp();
      this.#joined = { ...joined, position: follower.position };
    } finally {
      await own.store.close();
    }
  }

  /** The writing part of the node's store, above its own database. */
  over(own: Store): Pick<Store, 'write' | 'record' | 'synced' | 'close'> {
    if (this.#joined === null) throw new Error('a node joins before its store is opened');
    const { position, dataDir } = this.#joined;
    const { clock, log } = this.#options;
    const follower = this.#follow(own, position);
    const monotonicMs = () => clock.now().monotonicMs;
    const turns = new NodeTurns(this.#journal, (seq) => follower.upTo(seq), { monotonicMs, log });
    const records = new SharedRecords({ own, journal: this.#journal, follower, turns, log });
    this.#open = { follower, turns, records };
    this.#watchDatabase(own);
    follower.start();
    void this.duty.start();
    this.#stopCopies = startKeepingCopies({
      ...{ dataDir, own, follower, log },
      copies: this.#copies,
      duty: this.duty,
    });
    return {
      write: (some) => records.write(some),
      record: (some) => records.record(some),
      synced: () => records.synced(),
      close: async () => {
        this.#stopCopies();
        await records.close();
        follower.stop();
        await this.duty.stop();
        await own.close();
      },
    };
  }

  decide<T>(operation: () => Promise<T>): Promise<T> {
    return this.#opened().turns.run(operation);
  }

  written(): Promise<void> {
    return this.#asFarAsPossible(({ records }) => records.flush());
  }

  current(): Promise<void> {
    return this.#asFarAsPossible(async ({ follower, records }) => {
      await records.flush();
      await follower.catchUp();
    });
  }

  onRecords(listener: (records: readonly StoreRecord[]) => void): void {
    this.#opened().follower.onRecords(listener);
  }

  /** Records that were given up because the database was away for too long. */
  get shedRecords(): number {
    return this.#open?.records.shed ?? 0;
  }

  /** Without the database nobody waits, and while it hangs nobody waits for long. */
  async #asFarAsPossible(work: (open: OpenNode) => Promise<void>): Promise<void> {
    const open = this.#opened();
    if (this.#options.health.present.state !== 'ok') return;
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CURRENT_WITHIN_MS);
    await Promise.race([work(open).catch(passing), timeout]).finally(() => clearTimeout(timer));
  }

  /** A database that was damaged and saved in part is no copy of the journal any more. */
  #watchDatabase(own: Store): void {
    const before = own.counters().setAside;
    own.onHealth(() => {
      if (own.counters().setAside !== before) this.#lost.resolve("this node's database was damaged");
    });
  }

  #follow(own: Pick<Store, 'write'>, position: CopiedUpTo): JournalFollower {
    const { log } = this.#options;
    const onLost = (reason: string) => this.#lost.resolve(reason);
    return new JournalFollower({ journal: this.#journal, own, run: this.#run, position, onLost, log });
  }

  #opened() {
    if (this.#open === null) throw new Error('the store of this node is not open');
    return this.#open;
  }
}

/** Without the database this node answers from its copy. */
function passing(error: unknown): void {
  if (error instanceof CodedError && (error.code === 'store-unavailable' || error.code === 'rate-limited')) return;
  throw error;
}
