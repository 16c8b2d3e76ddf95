import { Fields } from './fields.ts';
import { REASON } from './reason-codes.ts';

/** The packets of MQTT 5 that have properties. */
export type PacketWithProperties =
  | 'connect'
  | 'connack'
  | 'publish'
  | 'will'
  | 'puback'
  | 'pubrec'
  | 'pubrel'
  | 'pubcomp'
  | 'subscribe'
  | 'suback'
  | 'unsubscribe'
  | 'unsuback'
  | 'disconnect'
  | 'auth';

type NumberName =
  | 'payloadFormatIndicator'
  | 'messageExpiryInterval'
  | 'sessionExpiryInterval'
  | 'serverKeepAlive'
  | 'requestProblemInformation'
  | 'willDelayInterval'
  | 'requestResponseInformation'
  | 'receiveMaximum'
  | 'topicAliasMaximum'
  | 'topicAlias'
  | 'maximumQos'
  | 'retainAvailable'
  | 'maximumPacketSize'
  | 'wildcardSubscriptionAvailable'
  | 'subscriptionIdentifierAvailable'
  | 'sharedSubscriptionAvailable';
type TextName =
  | 'contentType'
  | 'responseTopic'
  | 'assignedClientIdentifier'
  | 'authenticationMethod'
  | 'responseInformation'
  | 'serverReference'
  | 'reasonString';
type BytesName = 'correlationData' | 'authenticationData';

/** A `flag` is 0 or 1. `least` is the smallest allowed value of a number. */
type PropertyRule = { readonly packets: readonly PacketWithProperties[] } & (
  | { readonly type: 'flag' | 'uint16' | 'uint32'; readonly name: NumberName; readonly least?: number }
  | { readonly type: 'identifier'; readonly name: 'subscriptionIdentifier' }
  | { readonly type: 'text'; readonly name: TextName }
  | { readonly type: 'bytes'; readonly name: BytesName }
  | { readonly type: 'pair'; readonly name: 'userProperty' }
);

const ACKNOWLEDGEMENTS = ['puback', 'pubrec', 'pubrel', 'pubcomp', 'suback', 'unsuback'] as const;
const WITH_REASON = ['connack', ...ACKNOWLEDGEMENTS, 'disconnect', 'auth'] as const;
const MESSAGES = ['publish', 'will'] as const;
const CONNECTS = ['connect', 'connack'] as const;
const AUTHENTICATED = ['connect', 'connack', 'auth'] as const;
const ALL = ['connect', ...MESSAGES, 'subscribe', 'unsubscribe', ...WITH_REASON] as const;

/** The identifiers of the properties that the gateway writes (MQTT 5, 2.2.2.2). */
export const PROPERTY = {
  payloadFormatIndicator: 0x01,
  messageExpiryInterval: 0x02,
  contentType: 0x03,
  correlationData: 0x09,
  subscriptionIdentifier: 0x0b,
  sessionExpiryInterval: 0x11,
  assignedClientIdentifier: 0x12,
  responseInformation: 0x1a,
  reasonString: 0x1f,
  receiveMaximum: 0x21,
  topicAliasMaximum: 0x22,
  userProperty: 0x26,
  maximumPacketSize: 0x27,
} as const;

/** The properties of MQTT 5 by their identifiers (MQTT 5, 2.2.2.2). */
const RULES: ReadonlyMap<number, PropertyRule> = new Map<number, PropertyRule>([
  [PROPERTY.payloadFormatIndicator, { name: 'payloadFormatIndicator', type: 'flag', packets: MESSAGES }],
  [PROPERTY.messageExpiryInterval, { name: 'messageExpiryInterval', type: 'uint32', packets: MESSAGES }],
  [PROPERTY.contentType, { name: 'contentType', type: 'text', packets: MESSAGES }],
  [0x08, { name: 'responseTopic', type: 'text', packets: MESSAGES }],
  [PROPERTY.correlationData, { name: 'correlationData', type: 'bytes', packets: MESSAGES }],
  [
    PROPERTY.subscriptionIdentifier,
    { name: 'subscriptionIdentifier', type: 'identifier', packets: ['publish', 'subscribe'] },
  ],
  [
    PROPERTY.sessionExpiryInterval,
    { name: 'sessionExpiryInterval', type: 'uint32', packets: [...CONNECTS, 'disconnect'] },
  ],
  [PROPERTY.assignedClientIdentifier, { name: 'assignedClientIdentifier', type: 'text', packets: ['connack'] }],
  [0x13, { name: 'serverKeepAlive', type: 'uint16', packets: ['connack'] }],
  [0x15, { name: 'authenticationMethod', type: 'text', packets: AUTHENTICATED }],
  [0x16, { name: 'authenticationData', type: 'bytes', packets: AUTHENTICATED }],
  [0x17, { name: 'requestProblemInformation', type: 'flag', packets: ['connect'] }],
  [0x18, { name: 'willDelayInterval', type: 'uint32', packets: ['will'] }],
  [0x19, { name: 'requestResponseInformation', type: 'flag', packets: ['connect'] }],
  [PROPERTY.responseInformation, { name: 'responseInformation', type: 'text', packets: ['connack'] }],
  [0x1c, { name: 'serverReference', type: 'text', packets: ['connack', 'disconnect'] }],
  [PROPERTY.reasonString, { name: 'reasonString', type: 'text', packets: WITH_REASON }],
  [PROPERTY.receiveMaximum, { name: 'receiveMaximum', type: 'uint16', packets: CONNECTS, least: 1 }],
  [PROPERTY.topicAliasMaximum, { name: 'topicAliasMaximum', type: 'uint16', packets: CONNECTS }],
  [0x23, { name: 'topicAlias', type: 'uint16', packets: ['publish'] }],
  [0x24, { name: 'maximumQos', type: 'flag', packets: ['connack'] }],
  [0x25, { name: 'retainAvailable', type: 'flag', packets: ['connack'] }],
  [PROPERTY.userProperty, { name: 'userProperty', type: 'pair', packets: ALL }],
  [PROPERTY.maximumPacketSize, { name: 'maximumPacketSize', type: 'uint32', packets: CONNECTS, least: 1 }],
  [0x28, { name: 'wildcardSubscriptionAvailable', type: 'flag', packets: ['connack'] }],
  [0x29, { name: 'subscriptionIdentifierAvailable', type: 'flag', packets: ['connack'] }],
  [0x2a, { name: 'sharedSubscriptionAvailable', type: 'flag', packets: ['connack'] }],
]);

/** A server passes these on unchanged (MQTT-3.3.2-4, -15, -16, -17, -20). The expiry it counts down itself. */
const PASSED_ON: ReadonlySet<string> = new Set([
  'payloadFormatIndicator',
  'contentType',
  'responseTopic',
  'correlationData',
  'userProperty',
]);

type Values = Partial<Record<NumberName, number>> &
  Partial<Record<TextName, string>> &
  Partial<Record<BytesName, Buffer>>;

/** The properties of one packet, by name. `correlationData` is a view of the packet. */
export interface Properties extends Readonly<Values> {
  readonly subscriptionIdentifiers: readonly number[];
  /** The bytes that are passed on with a message, in their order, so that repeated user properties stay as they came. */
  readonly passedOn: readonly Buffer[];
}

interface FoundProperties extends Values {
  readonly subscriptionIdentifiers: number[];
  readonly passedOn: Buffer[];
}

export const NO_PROPERTIES: Properties = { subscriptionIdentifiers: [], passedOn: [] };

/**
 * Reads the properties of a packet, from the byte of their length on. A property of another packet makes the packet
 * malformed; one that comes twice is a protocol error (MQTT 5, 2.2.2.2). A fault is left in `fields`.
 */
export function readProperties(fields: Fields, packet: PacketWithProperties): Properties {
  const length = fields.variableInteger();
  if (length === 0) return NO_PROPERTIES;
  const end = fields.at + length;
  if (end > fields.frame.length) fields.fail('the properties are longer than the packet');
  if (fields.fault !== null) return NO_PROPERTIES;
  const found: FoundProperties = { subscriptionIdentifiers: [], passedOn: [] };
  const own = new Fields(fields.frame, fields.at, end);
  const seen = new Set<number>();
  while (own.hasMore) readProperty(own, packet, found, seen);
  if (own.fault !== null) fields.fail(own.fault.detail, own.fault.code);
  fields.at = end;
  return found;
}

function readProperty(fields: Fields, packet: PacketWithProperties, found: FoundProperties, seen: Set<number>): void {
  const from = fields.at;
  const identifier = fields.variableInteger();
  const rule = RULES.get(identifier);
  if (rule === undefined) {
    fields.fail(`property ${identifier} does not exist`);
    return;
  }
  if (!rule.packets.includes(packet)) fields.fail(`${rule.name} is no property of this packet`);
  if (seen.has(identifier) && !mayRepeat(rule, packet)) fields.fail(`${rule.name} came twice`, REASON.protocolError);
  seen.add(identifier);
  readValue(fields, rule, found);
  if (PASSED_ON.has(rule.name)) found.passedOn.push(fields.frame.subarray(from, fields.at));
}

function readValue(fields: Fields, rule: PropertyRule, found: FoundProperties): void {
  switch (rule.type) {
    case 'text':
      found[rule.name] = fields.text();
      return;
    case 'bytes':
      found[rule.name] = fields.bytes();
      return;
    case 'pair':
      fields.text();
      fields.text();
      return;
    case 'identifier':
      found.subscriptionIdentifiers.push(atLeast(fields, rule.name, fields.variableInteger(), 1));
      return;
    case 'flag': {
      const flag = fields.byte();
      if (flag > 1) fields.fail(`${rule.name}: found ${flag}, expected 0 or 1`, REASON.protocolError);
      found[rule.name] = flag;
      return;
    }
    default: {
      const value = rule.type === 'uint16' ? fields.uint16() : fields.uint32();
      found[rule.name] = atLeast(fields, rule.name, value, rule.least ?? 0);
    }
  }
}

function atLeast(fields: Fields, name: string, value: number, least: number): number {
  if (value < least) fields.fail(`${name}: found ${value}, expected ${least} or more`, REASON.protocolError);
  return value;
}

/** A message that is delivered may name several subscriptions; a SUBSCRIBE has one identifier. */
function mayRepeat({ name }: PropertyRule, packet: PacketWithProperties): boolean {
  return name === 'userProperty' || (name === 'subscriptionIdentifier' && packet === 'publish');
}
