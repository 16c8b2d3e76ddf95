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

/** The parts that receive batches of other gateways, and that answer questions about them. */
export interface Received {
  readonly receiver: Receiver;
  readonly queries: ReceivedQueries;
}

export function openReceived(parts: ReceivedParts): Received {
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
  return { receiver, queries: new ReceivedQueries(connection, names) };
}
