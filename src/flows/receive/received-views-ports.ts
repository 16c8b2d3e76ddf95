import type { GatewayStream } from '../../domain/sync/name-claim.ts';
import type { LocalApi } from '../local-api/local-api-ports.ts';
import type { DowntimeFilter } from '../store-ports.ts';
import type { JsonText } from '../warehouse/warehouse-ports.ts';

/** Questions about the past that machines of our own and of other gateways share. */
export type MachinePast = Pick<LocalApi, 'production' | 'timeline' | 'variablePoints' | 'variableBuckets'>;

/** The history of one gateway's machines, by the ids that they have there, each record with the gateway's name. */
export interface ReceivedPast extends MachinePast {
  /** `{gatewayId, machineId, statusAt, status, part}`. */
  status(machineId: string): Promise<JsonText>;
  downtimes(machineId: string, filter: DowntimeFilter): Promise<readonly object[]>;
  workSessions(machineId: string, limit: number): Promise<readonly object[]>;
  anomalies(machineId: string, limit: number): Promise<readonly object[]>;
}

/** Other gateways as the page sees them. Everything rejects with `not-found` for an unknown gateway. */
export interface ReceivedApi {
  /** `{gatewayId, lastContactAt, records, principal, machines, streams, stream, refused: [{stream, since, lastHeardAt, principal}]}`. */
  list(): Promise<readonly object[]>;
  machines(gatewayId: string): Promise<JsonText>;
  /** Gives the gateway's name to a refused stream; the stream that holds it is refused from now on. */
  grant(of: GatewayStream): Promise<void>;
  past(gatewayId: string): ReceivedPast;
}
