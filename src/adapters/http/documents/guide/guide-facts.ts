/** A machine of this gateway, or an invented one if none is set up. */
export interface GuideMachine {
  readonly machineId: string;
  readonly topicRoot: string;
}

/** The number of shown machines, because a plant may have a thousand. */
export const MAX_SHOWN_MACHINES = 50;

/** Facts of this gateway that make the guide's lines work as printed. */
export interface GuideFacts {
  /** The address by which the reader came: `http://gateway:8080`. */
  readonly origin: string;
  /** The host alone, for MQTT. */
  readonly host: string;
  readonly mqttPort: number | null;
  readonly mqttTlsPort: number | null;
  /** The first machines whose names may be shown to every reader, and the number of all. */
  readonly machines: readonly GuideMachine[];
  readonly machineCount: number;
  /** The machine of the examples. */
  readonly example: GuideMachine;
  readonly version: string;
}
