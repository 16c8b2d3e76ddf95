import type { GatewayStream } from '../../../../domain/sync/name-claim.ts';
import type { Connection } from '../database/connection.ts';

const TABLES = ['span', 'downtime', 'work_session'] as const;

/** Facts of another gateway's machines that were open when its last batch came, and whose end no stream will report. */
export class OpenFacts {
  readonly #end;

  constructor(connection: Connection) {
    this.#end = TABLES.map((table) =>
      connection.prepare<GatewayStream>(
        `UPDATE ${table} SET ended_at = max(started_at, heard.at)
         FROM (SELECT last_contact_at AS at FROM received_stream WHERE gateway_id = @gatewayId AND stream = @stream) AS heard
         WHERE ended_at IS NULL AND machine_id IN
           (SELECT gateway_id || '/' || machine_id FROM received_machine WHERE gateway_id = @gatewayId)`,
      ),
    );
  }

  /**
   * Ends them at the time of the stream's last batch, because another stream follows. The new stream reports the end of
   * the facts that it also knows. To be called within a transaction.
   */
  end(of: GatewayStream): void {
    for (const statement of this.#end) statement.run(of);
  }
}
