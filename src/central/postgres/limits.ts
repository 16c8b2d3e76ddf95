import { randomUUID } from 'node:crypto';
import { BoundedCache } from '../../domain/bounded-cache.ts';
import type { LimitExchange, Taken, TakenElsewhere } from '../../flows/shared-limits.ts';
import type { Postgres } from './postgres.ts';
import { storableJson } from './upsert-rows.ts';

/** The slowest limit is whole again after so long, so nothing older matters. */
const KEPT_MS = 300_000;
/** A node that missed no exchange has seen what is older. */
const RECENT_MS = 10_000;
/** Nodes whose last turn is remembered; one that is started anew is another one. */
const MAX_NODES = 1_000;

/** The database's own clock, and the same for the whole statement, so that the index serves. */
const NOW_MS = '(extract(epoch FROM now()) * 1000)::float8';
/** A node deletes its own old rows, so that nodes do not wait for each other; one that starts deletes those of all. */
const EXCHANGE = `
  WITH told AS (
    INSERT INTO central.limit_use (node, turn, at, taken)
    SELECT $1, $2, ${NOW_MS}, $3::jsonb WHERE jsonb_array_length($3::jsonb) > 0
  ), forgotten AS (
    DELETE FROM central.limit_use WHERE at < ${NOW_MS} - ${KEPT_MS} AND (node = $1 OR $2 = 1)
  )
  SELECT node, turn, greatest(${NOW_MS} - at, 0) AS "agoMs", "limit", name, tokens
  FROM central.limit_use, jsonb_to_recordset(taken) AS one ("limit" text, name text, tokens float8)
  WHERE node <> $1 AND at > ${NOW_MS} - CASE WHEN $4::bool THEN ${KEPT_MS} ELSE ${RECENT_MS} END
    AND turn > coalesce(($5::jsonb ->> node)::int, 0) AND at > ${NOW_MS} - ($6::jsonb ->> "limit")::float8
  ORDER BY at`;

interface Row extends TakenElsewhere {
  readonly node: string;
  readonly turn: number;
}

/** The use of shared limits by each node, in the database that the nodes share (D-113). */
export class PostgresLimits implements LimitExchange {
  readonly #postgres: Postgres;
  readonly #node = randomUUID();
  /** The last turn of each other node that is known here. */
  readonly #seen = new BoundedCache<string, number>(MAX_NODES);
  #turn = 0;
  /** It starts, or its last exchange failed. */
  #isBehind = true;

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  async exchange(
    taken: readonly Taken[],
    wholeAfterMs: Readonly<Record<string, number>>,
  ): Promise<readonly TakenElsewhere[]> {
    this.#turn += 1;
    const seen = storableJson(Object.fromEntries(this.#seen.entries()));
    const values = [this.#node, this.#turn, storableJson(taken), this.#isBehind, seen, storableJson(wholeAfterMs)];
    this.#isBehind = true;
    const rows = await this.#postgres.query<Row>(EXCHANGE, values);
    this.#isBehind = false;
    for (const { node, turn } of rows) this.#seen.set(node, Math.max(turn, this.#seen.get(node) ?? 0));
    return rows;
  }
}
