import type { NameRecord } from '../../../../domain/sync/name-claim.ts';
import type { NameRefusal, NameStanding } from '../../../../flows/receive-ports.ts';
import type { Connection } from '../connection.ts';
import type { BatchHeader } from './check-batch.ts';
import { StreamShifts } from './stream-shifts.ts';

/** Refused streams remembered of one gateway; whoever is forgotten is found out again. */
const MAX_REFUSALS = 16;

/** Which stream of each gateway holds its name (domain/sync/name-claim.ts): the one with the newest place. */
export class NameHolders {
  readonly #holder;
  readonly #isRefused;
  readonly #putRefusal;
  readonly #forgetOldest;
  readonly #release;
  readonly #refusals;
  readonly #shifts: StreamShifts;

  constructor(connection: Connection) {
    this.#shifts = new StreamShifts(connection);
    this.#holder = connection.prepare<[string], { readonly stream: string; readonly principal: string }>(
      'SELECT stream, principal FROM received_stream WHERE gateway_id = ? ORDER BY place DESC LIMIT 1',
    );
    this.#isRefused = connection
      .prepare<[string, string], number>('SELECT 1 FROM received_refusal WHERE gateway_id = ? AND stream = ?')
      .pluck();
    this.#putRefusal = connection.prepare(
      'INSERT OR IGNORE INTO received_refusal VALUES (@gatewayId, @stream, @at, @principal)',
    );
    this.#forgetOldest = connection.prepare(
      `DELETE FROM received_refusal WHERE gateway_id = @gatewayId AND stream IN
         (SELECT stream FROM received_refusal WHERE gateway_id = @gatewayId
          ORDER BY since DESC, stream LIMIT -1 OFFSET ${MAX_REFUSALS})`,
    );
    this.#release = connection.prepare('DELETE FROM received_refusal WHERE gateway_id = ? AND stream = ?');
    this.#refusals = connection.prepare<[string], NameRefusal>(
      'SELECT stream, since, principal FROM received_refusal WHERE gateway_id = ? ORDER BY since, stream',
    );
  }

  standing({ gatewayId, stream }: Pick<BatchHeader, 'gatewayId' | 'stream'>): NameStanding {
    const holder = this.#holder.get(gatewayId)?.stream ?? null;
    const isRefused = this.#isRefused.get(gatewayId, stream) !== undefined;
    return {
      holder: holder === stream && !isRefused ? null : holder,
      isRefused,
      isHolderRefused: holder !== null && this.#isRefused.get(gatewayId, holder) !== undefined,
    };
  }

  refusals(gatewayId: string): readonly NameRefusal[] {
    return this.#refusals.all(gatewayId);
  }

  /** To be called within a transaction. */
  write(record: NameRecord): void {
    if (record.kind === 'nameRefused') this.#refuse(record);
    else this.#grant(record);
  }

  #refuse(refusal: Omit<Extract<NameRecord, { kind: 'nameRefused' }>, 'kind'>): void {
    this.#putRefusal.run(refusal);
    this.#forgetOldest.run(refusal);
  }

  #grant({ gatewayId, stream, at }: Extract<NameRecord, { kind: 'nameGranted' }>): void {
    this.#release.run(gatewayId, stream);
    const holder = this.#holder.get(gatewayId);
    if (holder === undefined || holder.stream === stream) return;
    this.#refuse({ gatewayId, ...holder, at });
    this.#shifts.showAgain({ gatewayId, stream }, holder.stream);
  }
}
