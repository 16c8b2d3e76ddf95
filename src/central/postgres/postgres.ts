import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import pg from 'pg';
import { BoundedCache } from '../../domain/bounded-cache.ts';
import { CodedError } from '../../domain/error.ts';
import type { Log } from '../../flows/ports.ts';

export interface PostgresOptions {
  readonly url: string;
  /** Connections of this node. */
  readonly maxConnections: number;
  /** A statement that is not answered in time is given up, with its connection; by default `ANSWER_WITHIN_MS`. */
  readonly answerWithinMs?: number;
  /** The wait for a connection; by default `CONNECT_WITHIN_MS`. */
  readonly connectWithinMs?: number;
  readonly log: Log;
}

/** A request that waits longer for a connection is put off: the node, or the database, has too much to do. */
const CONNECT_WITHIN_MS = 1_000;
/** A database that hangs, or a line that swallows everything, must not hold requests up for longer. */
const ANSWER_WITHIN_MS = 15_000;
/** A transaction that waits longer for a row that another node holds is given up. */
const LOCK_WITHIN_MS = 2_000;
/** The database ends a transaction that is idle for so long, because its node is gone. */
const IDLE_WITHIN_MS = 60_000;
const BEGIN = `BEGIN; SET LOCAL lock_timeout = ${LOCK_WITHIN_MS};
  SET LOCAL idle_in_transaction_session_timeout = ${IDLE_WITHIN_MS}`;
/** Texts of statements whose names are remembered. */
const MAX_NAMES = 1_000;

interface Transaction {
  readonly client: pg.PoolClient;
  readonly afterCommit: (() => void)[];
  readonly locks: Set<string>;
  isOpen: boolean;
}

export type Value = string | number | boolean | null | Buffer | readonly (string | number | null)[];

/**
 * The connections of this node to PostgreSQL. What is asked and written within `transact` belongs to one transaction,
 * which is committed when `transact` resolves.
 */
export class Postgres {
  readonly #pool: pg.Pool;
  readonly #breakListeners: (() => void)[] = [];
  readonly #present = new AsyncLocalStorage<Transaction>();
  readonly #names = new BoundedCache<string, string>(MAX_NAMES);

  constructor({
    url,
    maxConnections,
    answerWithinMs = ANSWER_WITHIN_MS,
    connectWithinMs = CONNECT_WITHIN_MS,
    log,
  }: PostgresOptions) {
    this.#pool = new pg.Pool({
      connectionString: url,
      max: maxConnections,
      connectionTimeoutMillis: connectWithinMs,
      query_timeout: answerWithinMs,
      application_name: 'plantgate central',
      keepAlive: true,
      types: { getTypeParser: typeParser },
    });
    const tell = (error: Error) => {
      log.warn({ error: error.message }, 'a connection to PostgreSQL broke');
      for (const listener of this.#breakListeners) listener();
    };
    // A connection that nobody uses is replaced when one is needed.
    this.#pool.on('error', tell);
    // The statement on a connection in use fails as well; without a listener the error would end the program.
    this.#pool.on('connect', (client) => {
      client.on('error', tell);
      client.on('notice', ({ severity, message }) => {
        if (severity === 'WARNING') log.warn({}, message ?? 'PostgreSQL warns');
      });
    });
  }

  /**
   * Resolves with the result of `work` once its transaction is committed. Within a transaction it belongs to that one.
   * Rejects with the error of `work`, with `rate-limited` if no connection is free in time, and with
   * `store-unavailable` if the database cannot be used at present; then nothing is written, or the commit is unknown.
   */
  async transact<T>(work: () => Promise<T>): Promise<T> {
    return this.#open() === null ? this.#transact(work, null) : work();
  }

  /** Like `transact`, and holds a lock, as `lock` does, which costs no further question to the database. */
  async inTurn<T>(kind: string, key: string, work: () => Promise<T>): Promise<T> {
    if (this.#open() === null) return this.#transact(work, `${kind} ${key}`);
    await this.lock(kind, key);
    return work();
  }

  async #transact<T>(work: () => Promise<T>, lock: string | null): Promise<T> {
    const client = await this.#connect();
    const transaction: Transaction = {
      client,
      afterCommit: [],
      locks: new Set(lock === null ? [] : [lock]),
      isOpen: true,
    };
    let broken: Error | undefined;
    try {
      await client.query(lock === null ? BEGIN : `${BEGIN}; ${lockOf(lock)}`);
      const result = await this.#present.run(transaction, work);
      const { command } = await client.query('COMMIT');
      if (command !== 'COMMIT') throw new Error('PostgreSQL rolled the transaction back');
      for (const effect of transaction.afterCommit) effect();
      return result;
    } catch (error) {
      // A connection that does not answer would not answer the ROLLBACK either.
      broken = isPassing(error) ? asError(error) : await rolledBack(client);
      throw asCoded(error);
    } finally {
      transaction.isOpen = false;
      client.release(broken);
    }
  }

  /** Rows of a statement, which is prepared once on each connection. Rejects like `transact`. */
  async query<Row extends object>(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return (await this.#run(text, values)).rows as Row[];
  }

  /** The number of rows that a statement changed. Rejects like `transact`. */
  async run(text: string, values: readonly Value[] = []): Promise<number> {
    return (await this.#run(text, values)).rowCount ?? 0;
  }

  /** Runs several statements without values. Rejects like `transact`. */
  async script(text: string): Promise<void> {
    await this.transact(async () => {
      await this.#open()?.client.query(text);
    });
  }

  /** Holds the lock of a thing until the end of the present transaction; one transaction at any node holds it at a time. */
  async lock(kind: string, key: string): Promise<void> {
    const name = `${kind} ${key}`;
    const transaction = this.#open();
    if (transaction === null || transaction.locks.has(name)) return;
    await transaction.client.query(lockOf(name));
    transaction.locks.add(name);
  }

  /** The present transaction, if it holds the lock: what was read in it of the thing is still so. Null without the lock. */
  holder(kind: string, key: string): object | null {
    const transaction = this.#open();
    return transaction?.locks.has(`${kind} ${key}`) === true ? transaction : null;
  }

  /** Calls `effect` when the present transaction is committed; at once without one. */
  afterCommit(effect: () => void): void {
    const transaction = this.#open();
    if (transaction === null) effect();
    else transaction.afterCommit.push(effect);
  }

  /** Calls the listener when a connection breaks: the database may have been restored, or another one took over. */
  onBreak(listener: () => void): void {
    this.#breakListeners.push(listener);
  }

  /** Waits for what runs. */
  close(): Promise<void> {
    return this.#pool.end();
  }

  /** The caller's transaction; null without one, and after its end. */
  #open(): Transaction | null {
    const transaction = this.#present.getStore();
    return transaction?.isOpen === true ? transaction : null;
  }

  async #run(text: string, values: readonly Value[]): Promise<pg.QueryResult> {
    const transaction = this.#open();
    const query = { name: this.#nameOf(text), text, values: [...values] };
    if (transaction !== null) return transaction.client.query(query);
    const client = await this.#connect();
    let broken: Error | undefined;
    try {
      return await client.query(query);
    } catch (error) {
      if (isPassing(error)) broken = asError(error);
      throw asCoded(error);
    } finally {
      client.release(broken);
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      const isFull = this.#pool.totalCount >= (this.#pool.options.max ?? 0) && this.#pool.idleCount === 0;
      if (isFull) throw new CodedError('rate-limited', 'all connections to the database are in use: try again');
      throw unavailable(error);
    }
  }

  /** The name under which a connection keeps the prepared statement; the same text has the same name at every node. */
  #nameOf(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 24);
    this.#names.set(text, name);
    return name;
  }
}

function lockOf(name: string): string {
  return `SELECT pg_advisory_xact_lock(hashtextextended(${pg.escapeLiteral(name)}, 0))`;
}

/** Gives the error that makes the connection useless, if it cannot roll back. */
async function rolledBack(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('ROLLBACK');
    return undefined;
  } catch (error) {
    return asError(error);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function asCoded(error: unknown): unknown {
  return isPassing(error) ? unavailable(error) : error;
}

function unavailable(error: unknown): CodedError {
  const reason = error instanceof Error ? error.message : String(error);
  return new CodedError('store-unavailable', `the database cannot be used at the moment: ${reason}`);
}

/** Numbers come as numbers: counts and milliseconds are below 2^53. */
function typeParser(type: number, format: 'text' | 'binary' = 'text') {
  return type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format);
}

/**
 * Classes and codes of PostgreSQL's errors (https://www.postgresql.org/docs/current/errcodes-appendix.html) after
 * which the same transaction may succeed later.
 */
const PASSING_CLASSES = new Set([
  // Connection exceptions.
  '08',
  // A transaction rolled back: a deadlock, or one that could not be put in order.
  '40',
  // No disk, memory or connection left.
  '53',
  // A row that is locked, or a server that is not in the state for it.
  '55',
  // The server is shut down, or ends the session.
  '57',
  // The system.
  '58',
]);
/** A read-only server: a standby that is not promoted yet. */
const READ_ONLY = '25006';

/** Whether the database or the connection is at fault, and not the statement. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof CodedError) return false;
  if (!(error instanceof pg.DatabaseError)) return 'code' in error || /connection|timeout/i.test(error.message);
  const { code = '' } = error;
  return PASSING_CLASSES.has(code.slice(0, 2)) || code === READ_ONLY;
}
