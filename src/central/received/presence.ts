import type { Claimer } from '../../domain/sync/name-claim.ts';
import { NAME_TIMES } from '../../domain/sync/name-claim.ts';
import type { PresenceExchange, StreamSighting } from '../../flows/receive/receive-ports.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { storableJson } from '../postgres/upsert-rows.ts';

/** The database's own clock, so that the clocks of nodes do not matter. */
const NOW_MS = 'extract(epoch FROM clock_timestamp()) * 1000';
/** A claim ends with a long silence of its stream, as in flows/receive/stream-presence.ts. */
const TELL = `
  INSERT INTO central.presence AS known (gateway_id, stream, principal, heard_at, alive_until)
  SELECT "gatewayId", stream, principal, ${NOW_MS} - "heardAgoMs", ${NOW_MS} + "aliveForMs"
  FROM jsonb_to_recordset($1::jsonb)
    AS own ("gatewayId" text, stream text, principal text, "heardAgoMs" float8, "aliveForMs" float8)
  ORDER BY 1, 2, 3
  ON CONFLICT (gateway_id, stream, principal) DO UPDATE
    SET heard_at = greatest(known.heard_at, excluded.heard_at), alive_until = greatest(known.alive_until, excluded.alive_until),
      waiting_since = CASE WHEN excluded.heard_at - known.heard_at <= ${NAME_TIMES.backWithinMs} THEN known.waiting_since END`;
const WAITING = `
  UPDATE central.presence SET waiting_since = CASE WHEN $4::bool THEN coalesce(waiting_since, ${NOW_MS}) END
  WHERE gateway_id = $1 AND stream = $2 AND principal = $3`;
const SIGHTINGS = `
  SELECT gateway_id AS "gatewayId", stream, principal, now_ms - heard_at AS "heardAgoMs",
    alive_until - now_ms AS "aliveForMs", now_ms - waiting_since AS "waitingForMs"
  FROM central.presence, (SELECT (${NOW_MS})::float8 AS now_ms) AS clock WHERE gateway_id IN ($1, '')`;

/** Streams that any node heard, in the database that the nodes share. */
export class PostgresPresence implements PresenceExchange {
  readonly #postgres: Postgres;

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  async tell(sightings: readonly StreamSighting[]): Promise<void> {
    if (sightings.length > 0) await this.#postgres.run(TELL, [storableJson(sightings)]);
  }

  async tellWaiting({ gatewayId, stream, principal }: Claimer, isWaiting: boolean): Promise<void> {
    await this.#postgres.run(WAITING, [gatewayId, stream, principal, isWaiting]);
  }

  sightings(gatewayId: string): Promise<readonly StreamSighting[]> {
    return this.#postgres.query<StreamSighting>(SIGHTINGS, [gatewayId]);
  }
}
