/** A machine of this gateway, or one that is made up where none is set up. */
export interface GuideMachine {
  readonly machineId: string;
  readonly topicRoot: string;
}

/** A plant may have a thousand. */
export const MAX_SHOWN_MACHINES = 50;

/** Facts of this gateway that make the guide's lines work as they stand. */
export interface GuideFacts {
  /** `http://gateway:8080`, as the reader reached it. */
  readonly origin: string;
  /** The host alone, for MQTT. */
  readonly host: string;
  readonly mqttPort: number | null;
  readonly mqttTlsPort: number | null;
  /** The first of the machines whose names may be shown to everybody, and how many there are. */
  readonly machines: readonly GuideMachine[];
  readonly machineCount: number;
  /** The machine of the examples. */
  readonly example: GuideMachine;
  readonly version: string;
}
