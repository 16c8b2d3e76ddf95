import { type BatchAnswer, NOT_FOLLOWING } from '../../../../domain/sync/batch.ts';
import type { ApplyTerms, BatchVerdict } from '../../../../flows/receive/receive-ports.ts';
import type { Connection } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { receivedStream } from '../database/schema/received.ts';
import type { ReadBatch } from './read-batch.ts';
import { StreamShifts } from './stream-shifts.ts';

/** Gateways that may send here. */
const MAX_GATEWAYS = 2_000;
/** The number of remembered streams of one gateway. An older stream that goes on has to begin again. */
const MAX_STREAMS = 64;

/** The relation of a batch to the known position of its stream. */
type StreamVerdict = Exclude<BatchVerdict, { kind: 'next' }> | { readonly kind: 'next' };

interface StreamRow {
  readonly position: string;
  readonly refused: string;
  readonly partial_digest: string | null;
  readonly partial_items: number;
}

/** The position of each stream of each gateway. It is written in the transaction of the records themselves. */
export class StreamPositions {
  readonly #find;
  readonly #newestPlace;
  readonly #hasRoom;
  readonly #insert;
  readonly #notePartial;
  readonly #noteWhole;
  readonly #forgetOldest;
  readonly #newestPointOfOthers;
  readonly #shifts: StreamShifts;

  constructor(connection: Connection) {
    this.#shifts = new StreamShifts(connection);
    this.#find = connection.prepare<[string, string], StreamRow>(
      'SELECT position, refused, partial_digest, partial_items FROM received_stream WHERE gateway_id = ? AND stream = ?',
    );
    this.#newestPlace = connection
      .prepare<[string], number | null>('SELECT max(place) FROM received_stream WHERE gateway_id = ?')
      .pluck();
    this.#hasRoom = connection
      .prepare<[], number>(`SELECT count(DISTINCT gateway_id) < ${MAX_GATEWAYS} FROM received_stream`)
      .pluck();
    this.#insert = insertInto(connection, receivedStream);
    const where = 'WHERE gateway_id = @gatewayId AND stream = @stream';
    this.#notePartial = connection.prepare(
      `UPDATE received_stream SET partial_digest = @digest, partial_items = @items ${where}`,
    );
    this.#noteWhole = connection.prepare(
      `UPDATE received_stream SET position = @digest, refused = @refused, partial_digest = NULL, partial_items = 0,
         last_contact_at = @at, records = records + @records, principal = @principal,
         newest_point_at = max(coalesce(newest_point_at, @newestPointAt), coalesce(@newestPointAt, newest_point_at))
       ${where}`,
    );
    this.#forgetOldest = connection.prepare<{ readonly gatewayId: string }>(
      `DELETE FROM received_stream WHERE gateway_id = @gatewayId AND stream IN
         (SELECT stream FROM received_stream WHERE gateway_id = @gatewayId
          ORDER BY place DESC LIMIT -1 OFFSET ${MAX_STREAMS})`,
    );
    this.#newestPointOfOthers = connection
      .prepare<[string, string], number | null>(
        'SELECT max(newest_point_at) FROM received_stream WHERE gateway_id = ? AND stream <> ?',
      )
      .pluck();
  }

  verdict({ header: { gatewayId, stream, previous }, digest }: ReadBatch): StreamVerdict {
    const row = this.#find.get(gatewayId, stream);
    if (row?.position === digest) {
      // Only `noteApplied` writes it.
      const refused = JSON.parse(row.refused) as BatchAnswer['refused'];
      return { kind: 'repeated', answer: { position: digest, isRepeated: true, refused } };
    }
    if (
      row === undefined &&
      previous === '' &&
      this.#newestPlace.get(gatewayId) === null &&
      this.#hasRoom.get() !== 1
    ) {
      return { kind: 'refused', reason: `gatewayId: found a new one, expected at most ${MAX_GATEWAYS} gateways` };
    }
    if ((row?.position ?? '') === previous) return { kind: 'next' };
    const found = previous === '' ? 'none, as the first of the stream has' : previous;
    const expected = row === undefined ? 'none: nothing of the stream is known' : row.position;
    return { kind: 'diverged', reason: `${NOT_FOLLOWING}found ${found}, expected ${expected}; begin a new stream` };
  }

  /** The number of items of the batch that are applied already; a new stream is entered. */
  begin({ header: { gatewayId, stream, directory = '' }, digest }: ReadBatch, { principal, at }: ApplyTerms): number {
    const row = this.#find.get(gatewayId, stream);
    if (row !== undefined) return row.partial_digest === digest ? row.partial_items : 0;
    const place = (this.#newestPlace.get(gatewayId) ?? 0) + 1;
    this.#insert({
      ...{ gatewayId, stream, place, position: '', refused: '[]', partialDigest: null, partialItems: 0 },
      ...{ lastContactAt: at, records: 0, principal, newestPointAt: null, directory },
    });
    if (this.#forgetOldest.run({ gatewayId }).changes > 0) this.#shifts.forget(gatewayId);
    return 0;
  }

  notePartial({ header: { gatewayId, stream }, digest }: ReadBatch, items: number): void {
    this.#notePartial.run({ gatewayId, stream, digest, items });
  }

  noteApplied(batch: ReadBatch, { principal, at }: ApplyTerms, refused: BatchAnswer['refused']): void {
    const { header, digest, count, newestPointAt } = batch;
    const { gatewayId, stream } = header;
    this.#noteWhole.run({
      gatewayId,
      stream,
      digest,
      refused: JSON.stringify(refused),
      at,
      records: count,
      principal,
      newestPointAt,
    });
  }

  /**
   * The newest time of points that other streams of the gateway have brought, which this stream may bring again; null
   * without such points.
   */
  newestPointOfOthers({ header: { gatewayId, stream } }: ReadBatch): number | null {
    return this.#newestPointOfOthers.get(gatewayId, stream) ?? null;
  }
}
