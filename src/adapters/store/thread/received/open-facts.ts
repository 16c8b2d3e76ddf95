import type { GatewayStream } from '../../../../domain/sync/name-claim.ts';
import type { Connection } from '../database/connection.ts';

const TABLES = ['span', 'downtime', 'work_session'] as const;

/** What another gateway's machines were doing when its last batch came, and what nobody will say the end of. */
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
   * Ends them when the stream's last batch came, for another one follows on it. What that one knows as well it says the end
   * of itself, when it ends. To be called within a transaction.
   */
  end(of: GatewayStream): void {
    for (const statement of this.#end) statement.run(of);
  }
}
