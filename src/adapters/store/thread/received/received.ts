import type { GatewayReport } from '../../../../domain/fleet/gateway-health.ts';
import { jsonOrNull } from '../../../../domain/json/json.ts';
import type { ReceivedGateway } from '../../../../flows/receive/receive-ports.ts';
import type { JsonText } from '../../../../flows/warehouse/warehouse-ports.ts';
import type { Connection } from '../database/connection.ts';
import { jsonText } from '../profiles/profile-queries.ts';
import type { RecordWriter } from '../record-writer.ts';
import type { VariableQueries } from '../variables/variable-queries.ts';
import { BatchReceipts } from './batch-receipts.ts';
import { FactWriter } from './fact-writer.ts';
import { NameHolders } from './name-holders.ts';
import { PointWriter, type PointWriterParts } from './point-writer.ts';
import { ReceivedOperations } from './received-operations.ts';
import { Receiver } from './receiver.ts';
import { StreamPositions } from './stream-positions.ts';

export interface ReceivedParts extends PointWriterParts {
  readonly connection: Connection;
  readonly writer: RecordWriter;
  readonly variables: VariableQueries;
}

/** The parts that receive batches of other gateways, and that answer questions about them. */
export interface Received {
  readonly receiver: Receiver;
  readonly queries: ReceivedQueries;
}

export function openReceived(parts: ReceivedParts): Received {
  const { connection, writer, variables } = parts;
  const names = new NameHolders(connection);
  const positions = new StreamPositions(connection);
  const operations = new ReceivedOperations(connection);
  const facts = new FactWriter(connection, writer);
  writer.received.onRetired(() => facts.forget());
  const receipts = new BatchReceipts({ connection, positions, facts, points: new PointWriter(parts) });
  const receiver = new Receiver({
    judge: (batch) => {
      const verdict = positions.verdict(batch);
      return verdict.kind === 'next' ? { kind: 'next', standing: names.standing(batch.header) } : verdict;
    },
    knownOperations: (ids) => new Set(ids.filter((id) => operations.has(id))),
    newestPointOfOthers: (batch) => positions.newestPointOfOthers(batch),
    variables,
    apply: (batch, runs, terms) => receipts.apply(batch, runs, terms),
  });
  return { receiver, queries: new ReceivedQueries(connection, names) };
}

interface MachineRow {
  readonly gateway_id: string;
  readonly machine_id: string;
  readonly status_at: number | null;
  readonly status: string | null;
  readonly part: string | null;
}

/** SQLite takes the principal from the row with the maximum. */
const GATEWAYS = `SELECT own.gateway_id AS gatewayId, told.name, told.report, principal, records, streams,
    max(batch_at, coalesce(told.heard_at, 0)) AS lastContactAt,
    (SELECT stream FROM received_name AS held WHERE held.gateway_id = own.gateway_id) AS stream,
    (SELECT count(*) FROM received_machine AS machine WHERE machine.gateway_id = own.gateway_id) AS machines
  FROM (SELECT gateway_id, max(last_contact_at) AS batch_at, principal, sum(records) AS records, count(*) AS streams
        FROM received_stream GROUP BY gateway_id) AS own
  LEFT JOIN received_gateway AS told USING (gateway_id) ORDER BY own.gateway_id`;

type GatewayRow = Omit<ReceivedGateway, 'refused' | 'report'> & { readonly report: string | null };

/** The gateways that send here, and their machines. */
export class ReceivedQueries {
  readonly #names: NameHolders;
  readonly #gateways;
  readonly #isKnown;
  readonly #machines;
  readonly #machine;

  constructor(connection: Connection, names: NameHolders) {
    this.#names = names;
    this.#gateways = connection.prepare<[], GatewayRow>(GATEWAYS);
    this.#isKnown = connection
      .prepare<[string], number>('SELECT 1 FROM received_stream WHERE gateway_id = ? LIMIT 1')
      .pluck();
    const select = `SELECT gateway_id, machine_id, status_at, status,
        (SELECT json FROM machine_part AS part WHERE part.machine_id = own.gateway_id || '/' || own.machine_id) AS part
      FROM received_machine AS own WHERE gateway_id = ?`;
    this.#machines = connection.prepare<[string], MachineRow>(`${select} ORDER BY machine_id`);
    this.#machine = connection.prepare<[string, string], MachineRow>(`${select} AND machine_id = ?`);
  }

  gateways(): readonly ReceivedGateway[] {
    return this.#gateways.all().map(({ report, ...gateway }) => ({
      ...gateway,
      report: reportOrNull(report),
      refused: this.#names.refusals(gateway.gatewayId),
    }));
  }

  /** Null: no such gateway. */
  machines(gatewayId: string): JsonText | null {
    if (this.#isKnown.get(gatewayId) === undefined) return null;
    return jsonText(`[${this.#machines.all(gatewayId).map(machineJson).join(',')}]`);
  }

  machine(gatewayId: string, machineId: string): JsonText | null {
    const row = this.#machine.get(gatewayId, machineId);
    return row === undefined ? null : jsonText(machineJson(row));
  }
}

function machineJson({
  gateway_id: gatewayId,
  machine_id: machineId,
  status_at: at,
  status,
  part,
}: MachineRow): string {
  const statusAt = at === null ? null : new Date(at).toISOString();
  const view = { gatewayId, machineId, statusAt, status: parsedOrNull(status), part: parsedOrNull(part) };
  return JSON.stringify(view);
}

/** It was checked before it was kept. */
function reportOrNull(json: string | null): GatewayReport | null {
  return json === null ? null : (jsonOrNull(json) as GatewayReport | null);
}

/** A gateway sends a device's status as text, and may send anything. */
function parsedOrNull(json: string | null): unknown {
  return json === null ? null : jsonOrNull(json);
}
