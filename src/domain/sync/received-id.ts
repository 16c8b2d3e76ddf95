import type { MachineId } from '../machine/machine-id.ts';

/**
 * Under which id something of another gateway is kept here, so that it is never taken for our own or for a third one's:
 * no id that comes in a batch has a slash.
 */
export function receivedId(gatewayId: string, id: string): string {
  return `${gatewayId}/${id}`;
}

/** The same for machines: their history lies where our own machines' does, who have no slash in their ids (DEV-02). */
export function receivedMachineId(gatewayId: string, machineId: string): MachineId {
  return receivedId(gatewayId, machineId) as MachineId;
}

/** The id as the gateway itself has it. */
export function idAtGateway(received: string): string {
  return received.slice(received.lastIndexOf('/') + 1);
}
