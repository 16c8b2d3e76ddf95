/** A machine of this gateway, or one that is made up where none is set up. */
export interface GuideMachine {
  readonly machineId: string;
  readonly topicRoot: string;
}

/** What the guide fills in, so that its lines work as they stand. */
export interface GuideFacts {
  /** `http://gateway:8080`, as the reader reached it. */
  readonly origin: string;
  /** The host alone, for MQTT. */
  readonly host: string;
  readonly mqttPort: number | null;
  readonly mqttTlsPort: number | null;
  /** Machines whose names may be shown to everybody. */
  readonly machines: readonly GuideMachine[];
  /** The machine of the examples. */
  readonly example: GuideMachine;
  readonly version: string;
}
