import type { Command, Readings, SimulatedState } from './simulated-state.ts';

/** Receives messages over a machine's link, and news of the link itself. */
export interface LinkListener {
  onCommand(command: Command): void;
  onStatusSent(): void;
  /** Reports trouble to the person who watches the simulation. */
  onTrouble(text: string): void;
}

/** The connection of one machine to the gateway. Nothing here waits: a message that cannot be sent now is dropped. */
export interface DeviceLink {
  /** Whether the gateway can be reached. */
  readonly isLinked: boolean;
  sendStatus(state: SimulatedState): void;
  sendReadings(readings: Readings): void;
  /** The controller reboots: its connection breaks without a goodbye and is made again. */
  reboot(): void;
  /** Says goodbye and ends; resolves within `FAREWELL_TIMEOUT_MS`. */
  close(): Promise<void>;
}

export const FAREWELL_TIMEOUT_MS = 2_000;
