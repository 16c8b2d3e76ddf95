import { FIRST_PLANT } from '../../../../domain/plant/plant-scope.ts';
import type { MachinePage, ReceivedGateway, ReceivedMachine } from '../../../../flows/receive/receive-ports.ts';
import type { Connection } from '../database/connection.ts';
import type { RecordWriter } from '../record-writer.ts';
import type { VariableQueries } from '../variables/variable-queries.ts';
import { BatchReceipts } from './batch-receipts.ts';
import { FactWriter } from './fact-writer.ts';
import { NameHolders } from './name-holders.ts';
import { PointWriter, type PointWriterParts } from './point-writer.ts';
import { ChangedMachines } from './production/changed-machines.ts';
import { MachineRecordRows } from './production/machine-records.ts';
import { ShiftFigureRows } from './production/shift-figure-rows.ts';
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
  /** The operations among these that were carried out before. */
  readonly knownOperations: (operationIds: readonly string[]) => ReadonlySet<string>;
  readonly queries: ReceivedQueries;
  readonly changed: ChangedMachines;
  readonly records: MachineRecordRows;
  readonly figures: ShiftFigureRows;
}

export function openReceived(parts: ReceivedParts): Received {
  const { connection, writer, variables } = parts;
  const names = new NameHolders(connection);
  const positions = new StreamPositions(connection);
  const operations = new ReceivedOperations(connection);
  const changed = new ChangedMachines(connection);
  const facts = new FactWriter(connection, writer, changed);
  writer.received.onRetired(() => facts.forget());
  const receipts = new BatchReceipts({ connection, positions, facts, points: new PointWriter(parts) });
  const receiver = new Receiver({
    judge: (batch) => {
      const verdict = positions.verdict(batch);
      return verdict.kind === 'next' ? { kind: 'next', standing: names.standing(batch.header) } : verdict;
    },
    newestPointOfOthers: (batch) => positions.newestPointOfOthers(batch),
    variables,
    apply: (batch, runs, terms) => receipts.apply(batch, runs, terms),
  });
  const records = new MachineRecordRows(connection, writer.shiftSummaries);
  const queries = new ReceivedQueries(connection, names);
  const knownOperations = (ids: readonly string[]) => new Set(ids.filter((id) => operations.has(id)));
  return { receiver, knownOperations, queries, changed, records, figures: new ShiftFigureRows(connection) };
}

type MachineRow = Omit<ReceivedMachine, 'openStop'> & {
  readonly stopAt: number | null;
  readonly reasonId: string | null;
};

const PLANT = `coalesce(told.plant_id, '${FIRST_PLANT}')`;

/** Both indexes of open facts are asked once for each machine. */
const MACHINES = `SELECT own.gateway_id AS gatewayId, own.machine_id AS machineId, ${PLANT} AS plantId, status_at AS statusAt, status,
    (SELECT json FROM machine_part AS part WHERE part.machine_id = own.gateway_id || '/' || own.machine_id) AS part,
    activity, span.started_at AS activityAt, stop.started_at AS stopAt, stop.reason_id AS reasonId
  FROM received_machine AS own
  LEFT JOIN received_gateway AS told USING (gateway_id)
  LEFT JOIN span ON span.rowid = (SELECT rowid FROM span AS open
    WHERE open.machine_id = own.gateway_id || '/' || own.machine_id AND ended_at IS NULL LIMIT 1)
  LEFT JOIN downtime AS stop ON stop.rowid = (SELECT rowid FROM downtime AS open
    WHERE open.machine_id = own.gateway_id || '/' || own.machine_id AND ended_at IS NULL LIMIT 1)`;
const BEHIND = `(own.gateway_id, own.machine_id) > (@afterGateway, @afterMachine)
  AND (@plantIds IS NULL OR ${PLANT} IN (SELECT value FROM json_each(@plantIds)))
  ORDER BY own.gateway_id, own.machine_id LIMIT @take`;

interface PageTerms {
  readonly gatewayId: string | null;
  /** A JSON array. */
  readonly plantIds: string | null;
  readonly afterGateway: string;
  readonly afterMachine: string;
  readonly take: number;
}

/** SQLite takes the principal from the row with the maximum. */
const GATEWAYS = `SELECT own.gateway_id AS gatewayId, ${PLANT} AS plantId, told.name, told.report, principal, records, streams,
    max(batch_at, coalesce(told.heard_at, 0)) AS lastContactAt,
    (SELECT stream FROM received_name AS held WHERE held.gateway_id = own.gateway_id) AS stream,
    (SELECT count(*) FROM received_machine AS machine WHERE machine.gateway_id = own.gateway_id) AS machines
  FROM (SELECT gateway_id, max(last_contact_at) AS batch_at, principal, sum(records) AS records, count(*) AS streams
        FROM received_stream GROUP BY gateway_id) AS own
  LEFT JOIN received_gateway AS told USING (gateway_id) ORDER BY own.gateway_id`;

type GatewayRow = Omit<ReceivedGateway, 'refused'>;

/** The gateways that send here, and their machines. */
export class ReceivedQueries {
  readonly #names: NameHolders;
  readonly #gateways;
  readonly #machines;
  readonly #machinesOf;
  readonly #machine;
  readonly #plants;
  readonly #plant;

  constructor(connection: Connection, names: NameHolders) {
    this.#names = names;
    this.#gateways = connection.prepare<[], GatewayRow>(GATEWAYS);
    this.#machines = connection.prepare<PageTerms, MachineRow>(`${MACHINES} WHERE ${BEHIND}`);
    this.#machinesOf = connection.prepare<PageTerms, MachineRow>(
      `${MACHINES} WHERE own.gateway_id = @gatewayId AND ${BEHIND}`,
    );
    this.#machine = connection.prepare<[string, string], MachineRow>(
      `${MACHINES} WHERE own.gateway_id = ? AND own.machine_id = ?`,
    );
    this.#plants = connection.prepare<[], { readonly gatewayId: string; readonly digest: string }>(
      'SELECT gateway_id AS gatewayId, digest FROM received_plant ORDER BY gateway_id',
    );
    this.#plant = connection.prepare<[string], string>('SELECT json FROM received_plant WHERE gateway_id = ?').pluck();
  }

  gateways(): readonly ReceivedGateway[] {
    return this.#gateways.all().map((gateway) => ({
      ...gateway,
      refused: this.#names.refusals(gateway.gatewayId),
    }));
  }

  machines({ gatewayId, plantIds, after, take }: MachinePage): readonly ReceivedMachine[] {
    const behind = { afterGateway: after?.gatewayId ?? '', afterMachine: after?.machineId ?? '' };
    const terms = { gatewayId, plantIds: plantIds && JSON.stringify(plantIds), ...behind, take };
    return (gatewayId === null ? this.#machines : this.#machinesOf).all(terms).map(machineOf);
  }

  toldPlants(): readonly { readonly gatewayId: string; readonly digest: string }[] {
    return this.#plants.all();
  }

  toldPlant(gatewayId: string): string | null {
    return this.#plant.get(gatewayId) ?? null;
  }

  machine(gatewayId: string, machineId: string): ReceivedMachine | null {
    const row = this.#machine.get(gatewayId, machineId);
    return row === undefined ? null : machineOf(row);
  }
}

function machineOf({ stopAt, reasonId, ...row }: MachineRow): ReceivedMachine {
  return { ...row, openStop: stopAt === null ? null : { startedAt: stopAt, reasonId } };
}
