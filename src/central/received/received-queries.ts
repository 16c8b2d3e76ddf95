import { jsonOrNull } from '../../domain/json/json.ts';
import type { ReceivedGateway } from '../../flows/receive/receive-ports.ts';
import type { JsonText } from '../../flows/warehouse/warehouse-ports.ts';
import type { Postgres } from '../postgres/postgres.ts';
import type { NameHolders } from './name-holders.ts';

const GATEWAYS = `
  SELECT own.gateway_id AS "gatewayId", NULL AS name, NULL AS report, max(last_contact_at) AS "lastContactAt", sum(records) AS records,
    (array_agg(principal ORDER BY last_contact_at DESC))[1] AS principal, count(*) AS streams,
    (SELECT holder FROM central.gateway AS name WHERE name.gateway_id = own.gateway_id) AS stream,
    (SELECT count(*) FROM central.machine AS machine WHERE machine.gateway_id = own.gateway_id) AS machines
  FROM central.stream AS own GROUP BY own.gateway_id ORDER BY own.gateway_id COLLATE "C"`;
const IS_KNOWN = 'SELECT FROM central.stream WHERE gateway_id = $1 LIMIT 1';
const MACHINES = `
  SELECT own.machine_id AS "machineId", status_at AS "statusAt", status, part.json AS part
  FROM central.machine AS own
  LEFT JOIN central.machine_part AS part ON part.machine_id = own.gateway_id || '/' || own.machine_id
  WHERE own.gateway_id = $1`;
const ALL_MACHINES = `${MACHINES} ORDER BY own.machine_id COLLATE "C"`;
const ONE_MACHINE = `${MACHINES} AND own.machine_id = $2`;

interface MachineRow {
  readonly machineId: string;
  readonly statusAt: number | null;
  readonly status: string | null;
  readonly part: string | null;
}

/** The gateways that send here, and their machines. */
export class ReceivedQueries {
  readonly #postgres: Postgres;
  readonly #names: NameHolders;

  constructor(postgres: Postgres, names: NameHolders) {
    this.#postgres = postgres;
    this.#names = names;
  }

  async gateways(): Promise<readonly ReceivedGateway[]> {
    const gateways = await this.#postgres.query<Omit<ReceivedGateway, 'refused'>>(GATEWAYS);
    return Promise.all(
      gateways.map(async (gateway) => ({ ...gateway, refused: await this.#names.refusals(gateway.gatewayId) })),
    );
  }

  /** Null: no such gateway. */
  async machines(gatewayId: string): Promise<JsonText | null> {
    if ((await this.#postgres.run(IS_KNOWN, [gatewayId])) === 0) return null;
    const rows = await this.#postgres.query<MachineRow>(ALL_MACHINES, [gatewayId]);
    return jsonText(rows.map((row) => viewOf(gatewayId, row)));
  }

  async machine(gatewayId: string, machineId: string): Promise<JsonText | null> {
    const [row] = await this.#postgres.query<MachineRow>(ONE_MACHINE, [gatewayId, machineId]);
    return row === undefined ? null : jsonText(viewOf(gatewayId, row));
  }
}

function viewOf(gatewayId: string, { machineId, statusAt: at, status, part }: MachineRow): object {
  const statusAt = at === null ? null : new Date(at).toISOString();
  return { gatewayId, machineId, statusAt, status: parsedOrNull(status), part: parsedOrNull(part) };
}

/** A gateway sends a device's status as text, and may send anything. */
function parsedOrNull(json: string | null): unknown {
  return json === null ? null : jsonOrNull(json);
}

function jsonText(value: unknown): JsonText {
  return { bytes: new TextEncoder().encode(JSON.stringify(value)) };
}
