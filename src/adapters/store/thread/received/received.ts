import type { ReceiveQueries } from '../../../../flows/receive/receive-ports.ts';
import type { Connection } from '../database/connection.ts';
import type { RecordWriter } from '../record-writer.ts';
import type { VariableQueries } from '../variables/variable-queries.ts';
import { FactWriter } from './fact-writer.ts';
import { NameHolders } from './name-holders.ts';
import { PointWriter, type PointWriterParts } from './point-writer.ts';
import { ReceivedOperations } from './received-operations.ts';
import { ReceivedQueries } from './received-queries.ts';
import { Receiver } from './receiver.ts';
import { StreamPositions } from './stream-positions.ts';

export interface ReceivedParts extends PointWriterParts {
  readonly connection: Connection;
  readonly writer: RecordWriter;
  readonly variables: VariableQueries;
}

type Answer<K extends keyof ReceiveQueries> = Awaited<ReturnType<ReceiveQueries[K]>>;

/** The handlers of questions about other gateways. */
export type ReceivedAnswers = {
  readonly [K in keyof ReceiveQueries]: (...args: Parameters<ReceiveQueries[K]>) => Answer<K> | Promise<Answer<K>>;
};

/** Puts together the parts that receive batches of other gateways, and that answer questions about them. */
export function openReceived(parts: ReceivedParts): ReceivedAnswers {
  const { connection, writer, variables } = parts;
  const names = new NameHolders(connection);
  const receiver = new Receiver({
    connection,
    variables,
    names,
    positions: new StreamPositions(connection),
    facts: new FactWriter(connection, writer),
    points: new PointWriter(parts),
    operations: new ReceivedOperations(connection),
  });
  const queries = new ReceivedQueries(connection, names);
  return {
    readBatch: (body) => receiver.read(body),
    judgeBatch: (ticket) => receiver.judge(ticket),
    batchOperations: (ticket, after) => receiver.operationPage(ticket, after),
    applyBatch: (ticket, terms) => receiver.apply(ticket, terms),
    dropBatch: (ticket) => receiver.drop(ticket),
    receivedGateways: () => queries.gateways(),
    receivedMachines: (gatewayId) => queries.machines(gatewayId),
    receivedMachine: (gatewayId, machineId) => queries.machine(gatewayId, machineId),
  };
}
