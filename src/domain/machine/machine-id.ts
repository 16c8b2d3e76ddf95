/** The name of one machine, as configured. Case-sensitive; letters, digits, hyphen and underscore (interface.md, Status). */
export type MachineId = string & { readonly brand: 'MachineId' };

/** A longer id is no machine id. */
export const MAX_MACHINE_ID_LENGTH = 128;

/** Gives the text as a machine id, or null if the interface forbids it (DEV-02). */
export function machineId(text: string): MachineId | null {
  return text.length <= MAX_MACHINE_ID_LENGTH && /^[A-Za-z0-9_-]+$/.test(text) ? (text as MachineId) : null;
}
