import { FIRST_PLANT } from '../../domain/plant/plant-scope.ts';
import type { MachinePage, ReceivedGateway, ReceivedMachine } from '../../flows/receive/receive-ports.ts';
import type { Postgres } from '../postgres/postgres.ts';
import type { NameHolders } from '../received/name-holders.ts';

const GATEWAYS = `
  SELECT own.gateway_id AS "gatewayId", coalesce(min(told.plant_id), '${FIRST_PLANT}') AS "plantId", min(told.name) AS name, min(told.report) AS report,
    greatest(max(last_contact_at), min(told.heard_at)) AS "lastContactAt", sum(records) AS records,
    (array_agg(principal ORDER BY last_contact_at DESC))[1] AS principal, count(*) AS streams,
    min(told.holder) AS stream,
    (SELECT count(*) FROM central.machine AS machine WHERE machine.gateway_id = own.gateway_id) AS machines
  FROM central.stream AS own LEFT JOIN central.gateway AS told USING (gateway_id)
  GROUP BY own.gateway_id ORDER BY own.gateway_id`;
const PLANT = `coalesce(told.plant_id, '${FIRST_PLANT}')`;
const MACHINES = `
  SELECT own.gateway_id AS "gatewayId", own.machine_id AS "machineId", ${PLANT} AS "plantId", status_at AS "statusAt", status, part.json AS part,
    span.activity, span.started_at AS "activityAt", stop.started_at AS "stopAt", stop.reason_id AS "reasonId"
  FROM central.machine AS own
  LEFT JOIN central.gateway AS told USING (gateway_id)
  LEFT JOIN central.machine_part AS part ON part.machine_id = own.gateway_id || '/' || own.machine_id
  LEFT JOIN LATERAL (SELECT activity, started_at FROM central.span AS open
    WHERE open.machine_id = own.gateway_id || '/' || own.machine_id AND ended_at IS NULL LIMIT 1) AS span ON true
  LEFT JOIN LATERAL (SELECT started_at, reason_id FROM central.downtime AS open
    WHERE open.machine_id = own.gateway_id || '/' || own.machine_id AND ended_at IS NULL LIMIT 1) AS stop ON true`;
const ONE_MACHINE = `${MACHINES} WHERE own.gateway_id = $1 AND own.machine_id = $2`;

const TOLD_PLANTS = 'SELECT gateway_id AS "gatewayId", digest FROM central.told_plant ORDER BY gateway_id';
const TOLD_PLANT = 'SELECT json FROM central.told_plant WHERE gateway_id = $1';

type MachineRow = Omit<ReceivedMachine, 'openStop'> & {
  readonly stopAt: number | null;
  readonly reasonId: string | null;
};

type GatewayRow = Omit<ReceivedGateway, 'refused'>;

/** The gateways that send here, and their machines. */
export class ReceivedQueries {
  readonly #postgres: Postgres;
  readonly #names: NameHolders;

  constructor(postgres: Postgres, names: NameHolders) {
    this.#postgres = postgres;
    this.#names = names;
  }

  async gateways(): Promise<readonly ReceivedGateway[]> {
    const gateways = await this.#postgres.query<GatewayRow>(GATEWAYS);
    const refusals = await this.#names.refusals();
    return gateways.map((gateway) => ({ ...gateway, refused: refusals.get(gateway.gatewayId) ?? [] }));
  }

  async machines({ gatewayId, plantIds, after, take }: MachinePage): Promise<readonly ReceivedMachine[]> {
    const terms = [after?.gatewayId ?? '', after?.machineId ?? '', take, gatewayId, plantIds].filter(
      (term) => term !== null,
    );
    const page = pageOf({ ofGateway: gatewayId !== null, ofPlants: plantIds !== null });
    return (await this.#postgres.query<MachineRow>(page, terms)).map(machineOf);
  }

  toldPlants(): Promise<readonly { readonly gatewayId: string; readonly digest: string }[]> {
    return this.#postgres.query(TOLD_PLANTS);
  }

  async toldPlant(gatewayId: string): Promise<string | null> {
    return (await this.#postgres.query<{ json: string }>(TOLD_PLANT, [gatewayId]))[0]?.json ?? null;
  }

  async machine(gatewayId: string, machineId: string): Promise<ReceivedMachine | null> {
    const [row] = await this.#postgres.query<MachineRow>(ONE_MACHINE, [gatewayId, machineId]);
    return row === undefined ? null : machineOf(row);
  }
}

/**
 * A page after `$1`, `$2` of at most `$3` machines. A condition that nobody asks for is left out: with
 * `($4 IS NULL OR …)` a prepared statement reads and sorts all machines.
 */
function pageOf({ ofGateway, ofPlants }: { readonly ofGateway: boolean; readonly ofPlants: boolean }): string {
  const conditions = [
    '(own.gateway_id, own.machine_id) > ($1, $2)',
    ...(ofGateway ? ['own.gateway_id = $4'] : []),
    ...(ofPlants ? [`${PLANT} = ANY (${ofGateway ? '$5' : '$4'})`] : []),
  ];
  return `${MACHINES} WHERE ${conditions.join(' AND ')} ORDER BY own.gateway_id, own.machine_id LIMIT $3`;
}

function machineOf({ stopAt, reasonId, ...row }: MachineRow): ReceivedMachine {
  return { ...row, openStop: stopAt === null ? null : { startedAt: stopAt, reasonId } };
}
