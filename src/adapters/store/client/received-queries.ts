import type { ReceiveQueries } from '../../../flows/receive/receive-ports.ts';
import type { OpenQuestions } from './questions.ts';

/** Batches of other gateways, handed to the store thread. */
export function receivedQueries(ask: OpenQuestions['ask']): ReceiveQueries {
  return {
    readBatch: (body) => ask('readBatch', body),
    judgeBatch: (ticket) => ask('judgeBatch', ticket),
    batchOperations: (ticket, after) => ask('batchOperations', ticket, after),
    applyBatch: (ticket, terms) => ask('applyBatch', ticket, terms),
    dropBatch: (ticket) => ask('dropBatch', ticket),
    receivedGateways: () => ask('receivedGateways'),
    receivedMachines: (gatewayId) => ask('receivedMachines', gatewayId),
    receivedMachine: (gatewayId, machineId) => ask('receivedMachine', gatewayId, machineId),
  };
}
