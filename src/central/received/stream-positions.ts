import type { BatchHeader } from '../../adapters/store/thread/received/check-batch.ts';
import type { ReadBatch } from '../../adapters/store/thread/received/read-batch.ts';
import { FIRST_PLANT } from '../../domain/plant/plant-scope.ts';
import { type BatchAnswer, NOT_FOLLOWING } from '../../domain/sync/batch.ts';
import type { ApplyTerms, BatchVerdict, NameStanding } from '../../flows/receive/receive-ports.ts';
import type { Postgres } from '../postgres/postgres.ts';

/** The number of remembered streams of one gateway. An older stream that goes on has to begin again. */
const MAX_STREAMS = 64;

/** The stream of a batch as the database knows it, and its gateway. */
export interface StreamStanding {
  /** The digest of the stream's newest batch; null: the stream is new. */
  readonly position: string | null;
  readonly refused: string | null;
  readonly holder: string | null;
  readonly owner: string | null;
  readonly plantId: string;
  readonly isRefused: boolean;
  /** Other streams of the gateway. */
  readonly otherStreams: number;
  /** The newest time of their points; null without points. */
  readonly newestPointOfOthers: number | null;
  readonly hasCatchUps: boolean;
}

const STANDING = `
  SELECT own.position, own.refused, gateway.holder, gateway.owner, coalesce(gateway.plant_id, '${FIRST_PLANT}') AS "plantId",
    EXISTS (SELECT FROM central.refusal WHERE gateway_id = $1 AND stream = $2) AS "isRefused",
    others.count::float8 AS "otherStreams", others.newest AS "newestPointOfOthers",
    EXISTS (SELECT FROM central.catch_up WHERE gateway_id = $1) AS "hasCatchUps"
  FROM (SELECT count(*) AS count, max(newest_point_at) AS newest
        FROM central.stream WHERE gateway_id = $1 AND stream <> $2) AS others
  LEFT JOIN central.gateway AS gateway ON gateway.gateway_id = $1
  LEFT JOIN central.stream AS own ON own.gateway_id = $1 AND own.stream = $2`;
const ENTER_GATEWAY = 'INSERT INTO central.gateway (gateway_id) VALUES ($1) ON CONFLICT DO NOTHING';
const ENTER_STREAM = `
  INSERT INTO central.stream
    (gateway_id, stream, place, position, refused, last_contact_at, records, principal, directory)
  SELECT $1, $2, 1 + coalesce(max(place), 0), '', '[]', $3, 0, $4, $5 FROM central.stream WHERE gateway_id = $1`;
const NOTE_APPLIED = `
  UPDATE central.stream SET position = $3, refused = $4, last_contact_at = $5, records = records + $6, principal = $7,
    newest_point_at = greatest(newest_point_at, $8::float8)
  WHERE gateway_id = $1 AND stream = $2`;
const FORGET_OLDEST = `
  DELETE FROM central.stream WHERE gateway_id = $1 AND stream IN
    (SELECT stream FROM central.stream WHERE gateway_id = $1 ORDER BY place DESC OFFSET ${MAX_STREAMS})`;
const FORGET_SHIFTS = `
  DELETE FROM central.stream_shift WHERE gateway_id = $1
    AND stream NOT IN (SELECT stream FROM central.stream WHERE gateway_id = $1)`;
const OTHER_GATEWAYS = 'SELECT count(DISTINCT gateway_id)::float8 AS count FROM central.stream WHERE gateway_id <> $1';

/** The positions of the streams. To be called in the turn of the gateway. */
export class StreamPositions {
  readonly #postgres: Postgres;
  readonly #maxGateways: number;
  /** By the transaction in which it was read, and which holds the gateway's lock. */
  readonly #standings = new WeakMap<object, { readonly stream: string; readonly standing: StreamStanding }>();

  constructor(postgres: Postgres, maxGateways: number) {
    this.#postgres = postgres;
    this.#maxGateways = maxGateways;
  }

  async standing({ gatewayId, stream }: BatchHeader): Promise<StreamStanding> {
    const turn = this.#postgres.holder('gateway', gatewayId);
    const known = turn === null ? undefined : this.#standings.get(turn);
    if (known?.stream === stream) return known.standing;
    const [row] = await this.#postgres.query<StreamStanding>(STANDING, [gatewayId, stream]);
    if (row === undefined) throw new Error('the standing of a stream is always one row');
    if (turn !== null) this.#standings.set(turn, { stream, standing: row });
    return row;
  }

  async verdict(
    { header: { gatewayId, previous }, digest }: ReadBatch,
    standing: StreamStanding,
  ): Promise<BatchVerdict> {
    const { position, refused, otherStreams } = standing;
    if (position === digest) {
      // Only `noteApplied` writes it.
      const answered = JSON.parse(refused ?? '[]') as BatchAnswer['refused'];
      return { kind: 'repeated', answer: { position: digest, isRepeated: true, refused: answered } };
    }
    if (position === null && previous === '' && otherStreams === 0 && !(await this.#hasRoom(gatewayId))) {
      return { kind: 'refused', reason: `gatewayId: found a new one, expected at most ${this.#maxGateways} gateways` };
    }
    if ((position ?? '') === previous) return { kind: 'next', standing: nameStanding(standing) };
    const found = previous === '' ? 'none, as the first of the stream has' : previous;
    const expected = position === null ? 'none: nothing of the stream is known' : position;
    return { kind: 'diverged', reason: `${NOT_FOLLOWING}found ${found}, expected ${expected}; begin a new stream` };
  }

  /** Enters a stream that is new. */
  async begin({ header }: ReadBatch, { principal, at }: ApplyTerms, { position }: StreamStanding): Promise<void> {
    if (position !== null) return;
    const { gatewayId, stream, directory = '' } = header;
    await this.#postgres.run(ENTER_GATEWAY, [gatewayId]);
    await this.#postgres.run(ENTER_STREAM, [gatewayId, stream, at, principal, directory]);
    if ((await this.#postgres.run(FORGET_OLDEST, [gatewayId])) > 0)
      await this.#postgres.run(FORGET_SHIFTS, [gatewayId]);
  }

  async noteApplied(batch: ReadBatch, { principal, at }: ApplyTerms, refused: BatchAnswer['refused']): Promise<void> {
    const { header, digest, count, newestPointAt } = batch;
    const values = [digest, JSON.stringify(refused), at, count, principal, newestPointAt];
    await this.#postgres.run(NOTE_APPLIED, [header.gatewayId, header.stream, ...values]);
    const turn = this.#postgres.holder('gateway', header.gatewayId);
    if (turn !== null) this.#standings.delete(turn);
  }

  async #hasRoom(gatewayId: string): Promise<boolean> {
    const [row] = await this.#postgres.query<{ count: number }>(OTHER_GATEWAYS, [gatewayId]);
    return (row?.count ?? 0) < this.#maxGateways;
  }
}

function nameStanding({ holder, owner, plantId, isRefused }: StreamStanding): NameStanding {
  return { holder, owner, plantId, isRefused };
}
