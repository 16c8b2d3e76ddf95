import { setTimeout as delay } from 'node:timers/promises';
import { CodedError } from '../../domain/error.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { RECORD_FORMAT } from './record-text.ts';

/** A row of the journal. A write is its last row and those before it with the same `writeId`. */
export interface JournalEntry {
  readonly seq: number;
  readonly writeId: string;
  readonly isLast: boolean;
  readonly run: string;
  readonly format: number;
  readonly writtenAt: number;
  readonly records: string;
}

/** The end of the journal: its last write. `history` names the journal. */
export interface JournalEnd {
  readonly history: string;
  readonly seq: number;
  readonly writeId: string;
}

/** A write that is to be appended. With a `turn` it is refused once that turn is over. */
export interface JournalWrite {
  readonly writeId: string;
  readonly texts: readonly string[];
  readonly turn: number | null;
}

/** Rows that are read at once. */
const ENTRIES_AT_ONCE = 100;
/** A write whose answer was lost is looked for this often, before it counts as unknown. */
const SETTLE_TRIES = 8;
const SETTLE_EVERY_MS = 1_000;
const HELD_SECONDS = 10;
/** A node that waits for the turn asks more often than this. */
const WANTED_SECONDS = 1;

/** Makes the present statement not wait for the disk: a turn that is lost with a crash is lost for everybody. */
const WITHOUT_SYNC = "set_config('synchronous_commit', 'off', true) = 'off'";

const APPEND = `
  WITH ended AS (
    UPDATE central.journal SET seq = seq + cardinality($3::text[]), write_id = $2
    WHERE plant_id = $1 AND ($6::int8 IS NULL OR (turn = $6 AND holder = $4)) RETURNING seq
  )
  INSERT INTO central.journal_entry (plant_id, seq, write_id, is_last, run, format, written_at, records)
  SELECT $1, ended.seq - cardinality($3::text[]) + place, $2, place = cardinality($3::text[]), $4, ${RECORD_FORMAT}, $5, text
  FROM ended, unnest($3::text[]) WITH ORDINALITY AS row (text, place) RETURNING seq`;
/** Waits for a write that is under way, and ends the turn, so that one that comes later is refused. */
const SETTLE = `
  WITH own AS (
    UPDATE central.journal SET turn = turn + CASE WHEN holder = $3 AND turn = $4 THEN 1 ELSE 0 END WHERE plant_id = $1
  )
  SELECT max(seq) AS seq FROM central.journal_entry WHERE plant_id = $1 AND write_id = $2 AND is_last AND seq > $5`;
const TAKE_TURN = `
  UPDATE central.journal SET turn = turn + CASE WHEN is_free THEN 1 ELSE 0 END,
    holder = CASE WHEN is_free THEN $2 ELSE holder END,
    held_until = CASE WHEN is_free THEN clock_timestamp() + interval '${HELD_SECONDS} s' ELSE held_until END,
    wanted_at = CASE WHEN is_free THEN wanted_at ELSE clock_timestamp() END
  FROM (SELECT holder IS NULL OR holder = $2 OR held_until < clock_timestamp() AS is_free
    FROM central.journal WHERE plant_id = $1 FOR UPDATE) AS present
  WHERE plant_id = $1 AND ${WITHOUT_SYNC}
  RETURNING turn, seq, is_free AS "isFree"`;
const IS_WANTED = `
  SELECT FROM central.journal WHERE plant_id = $1 AND wanted_at > clock_timestamp() - interval '${WANTED_SECONDS} s'`;
const KEEP_TURN = `
  UPDATE central.journal SET held_until = clock_timestamp() + interval '${HELD_SECONDS} s'
  WHERE plant_id = $1 AND holder = $2 AND turn = $3 AND ${WITHOUT_SYNC}`;
const END_TURN = `
  UPDATE central.journal SET holder = NULL WHERE plant_id = $1 AND holder = $2 AND turn = $3 AND ${WITHOUT_SYNC}`;

/**
 * The journal of what people and programs do at the central server, in the order of the commits. Each node copies it into
 * its own database.
 */
export class Journal {
  readonly #postgres: Postgres;
  readonly #plantId: string;
  readonly #run: string;
  readonly #wallMs: () => number;

  constructor(
    postgres: Postgres,
    { plantId, run, wallMs }: { readonly plantId: string; readonly run: string; readonly wallMs: () => number },
  ) {
    this.#postgres = postgres;
    this.#plantId = plantId;
    this.#run = run;
    this.#wallMs = wallMs;
  }

  /** Makes the journal, if this is the first node of all. */
  async begin(history: string): Promise<JournalEnd> {
    await this.#postgres.run(
      "INSERT INTO central.journal (plant_id, history, seq, write_id, turn) VALUES ($1, $2, 0, '', 0) ON CONFLICT DO NOTHING",
      [this.#plantId, history],
    );
    return this.end();
  }

  async end(): Promise<JournalEnd> {
    const text = 'SELECT history, seq, write_id AS "writeId" FROM central.journal WHERE plant_id = $1';
    const [end] = await this.#postgres.query<JournalEnd>(text, [this.#plantId]);
    if (end === undefined) throw new CodedError('conflict', 'the database has lost its journal: restore it');
    return end;
  }

  /**
   * Appends a write and gives its place. Rejects with `store-unavailable` if it certainly is not in the journal, and with
   * `outcome-unknown` if nobody knows. `after` is a place that the journal had before.
   */
  async append(write: JournalWrite, after: number): Promise<number> {
    try {
      return await this.#append(write);
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'store-unavailable') throw error;
      const seq = await this.#settled(write, after, error);
      if (seq !== null) return seq;
      throw error;
    }
  }

  /** The rows from a place on, with the one at that place: it shows whether this is still the same journal. */
  entriesFrom(seq: number): Promise<readonly JournalEntry[]> {
    return this.#postgres.query<JournalEntry>(
      `SELECT seq, write_id AS "writeId", is_last AS "isLast", run, format, written_at AS "writtenAt",
         CASE WHEN seq = $2 THEN '[]' ELSE records END AS records
       FROM central.journal_entry WHERE plant_id = $1 AND seq >= $2 ORDER BY seq LIMIT ${ENTRIES_AT_ONCE}`,
      [this.#plantId, seq],
    );
  }

  /** Takes the turn to decide, unless another node has it: then null. `seq` is the end of the journal. */
  async takeTurn(): Promise<{ readonly turn: number; readonly seq: number } | null> {
    const values = [this.#plantId, this.#run];
    const [taken] = await this.#postgres.query<{ turn: number; seq: number; isFree: boolean }>(TAKE_TURN, values);
    return taken?.isFree === true ? taken : null;
  }

  /** Whether another node waits for the turn. */
  async isTurnWanted(): Promise<boolean> {
    return (await this.#postgres.run(IS_WANTED, [this.#plantId])) > 0;
  }

  /** Holds a turn for another 10 s. False: it is over. */
  async keepTurn(turn: number): Promise<boolean> {
    return (await this.#postgres.run(KEEP_TURN, [this.#plantId, this.#run, turn])) > 0;
  }

  async endTurn(turn: number): Promise<void> {
    await this.#postgres.run(END_TURN, [this.#plantId, this.#run, turn]);
  }

  async #append({ writeId, texts, turn }: JournalWrite): Promise<number> {
    const values = [this.#plantId, writeId, texts, this.#run, this.#wallMs(), turn];
    const rows = await this.#postgres.query<{ seq: number }>(APPEND, values);
    const last = rows.at(-1);
    if (last !== undefined) return last.seq;
    throw new CodedError('store-unavailable', 'another node of the central server had its turn meanwhile: try again');
  }

  /** The place of a write whose answer was lost; null: it is not in the journal, and never will be. */
  async #settled({ writeId, turn }: JournalWrite, after: number, cause: CodedError): Promise<number | null> {
    for (let tries = 0; tries < SETTLE_TRIES; tries += 1) {
      try {
        const values = [this.#plantId, writeId, this.#run, turn, after];
        const [found] = await this.#postgres.query<{ seq: number | null }>(SETTLE, values);
        return found?.seq ?? null;
      } catch (error) {
        if (!(error instanceof CodedError) || error.code !== 'store-unavailable') throw error;
        await delay(SETTLE_EVERY_MS);
      }
    }
    throw new CodedError('outcome-unknown', `it is not known whether this was done: ${cause.message}`);
  }
}
