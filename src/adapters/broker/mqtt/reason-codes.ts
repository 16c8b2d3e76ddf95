/** The versions of MQTT that the gateway speaks, as protocol levels: 3.1, 3.1.1 and 5. */
export type MqttVersion = 3 | 4 | 5;

/** Reason codes of MQTT 5 (2.4). From 0x80 on they are refusals. */
export const REASON = {
  success: 0x00,
  disconnectWithWill: 0x04,
  noMatchingSubscribers: 0x10,
  noSubscriptionExisted: 0x11,
  unspecifiedError: 0x80,
  malformedPacket: 0x81,
  protocolError: 0x82,
  implementationSpecific: 0x83,
  unsupportedVersion: 0x84,
  clientIdNotValid: 0x85,
  badCredentials: 0x86,
  notAuthorized: 0x87,
  serverUnavailable: 0x88,
  serverShuttingDown: 0x8b,
  badAuthenticationMethod: 0x8c,
  keepAliveTimeout: 0x8d,
  sessionTakenOver: 0x8e,
  topicFilterInvalid: 0x8f,
  topicNameInvalid: 0x90,
  packetIdNotFound: 0x92,
  receiveMaximumExceeded: 0x93,
  topicAliasInvalid: 0x94,
  packetTooLarge: 0x95,
  quotaExceeded: 0x97,
  administrativeAction: 0x98,
  payloadFormatInvalid: 0x99,
} as const;

export type ReasonCode = (typeof REASON)[keyof typeof REASON];

/** A code with the sentence that tells a person what is wrong. The sentence may be empty. */
export interface Reason {
  readonly code: ReasonCode;
  readonly text: string;
}

export const NO_REASON: Reason = { code: REASON.success, text: '' };
