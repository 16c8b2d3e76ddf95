import type { MachineId } from '../machine/machine-names.ts';

/**
 * The id under which a record of another gateway is kept here, so that it is never confused with our own or a third
 * gateway's: no id in a batch has a slash.
 */
export function receivedId(gatewayId: string, id: string): string {
  return `${gatewayId}/${id}`;
}

/**
 * The id of another gateway's machine: its history is stored beside that of our own machines, which have no slash in their ids
 * (DEV-02).
 */
export function receivedMachineId(gatewayId: string, machineId: string): MachineId {
  return receivedId(gatewayId, machineId) as MachineId;
}

/** The id as the gateway itself has it. */
export function idAtGateway(received: string): string {
  return received.slice(received.lastIndexOf('/') + 1);
}
