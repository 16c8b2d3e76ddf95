import * as Type from 'typebox';
import { COMMAND_LIFETIME_S } from '../../../domain/machine/decision.ts';
import { STATUS_FIELDS } from '../../../domain/machine/status/status-fields.ts';
import { BIT, DEVICE_STATUS, MQTT_COMMAND, TRUE_OR_FALSE, VARIABLES } from './device-shapes.ts';
import type { JsonSchema } from './open-api-document.ts';

export interface Channel {
  readonly address: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, { readonly description: string }>>;
  readonly messages: Readonly<Record<string, ChannelMessage>>;
}

interface ChannelMessage {
  readonly contentType: string;
  readonly payload: JsonSchema;
  readonly bindings?: { readonly mqtt: MessageBinding };
}

/** Properties of MQTT 5; a client of 3.1.1 neither sends nor gets them. */
interface MessageBinding {
  readonly bindingVersion: string;
  readonly payloadFormatIndicator?: 1;
  readonly contentType?: string;
  readonly correlationData?: JsonSchema;
  readonly responseTopic?: JsonSchema;
}

interface OperationBinding {
  readonly bindingVersion: string;
  readonly qos: number;
  readonly retain: boolean;
  /** In seconds, of MQTT 5. */
  readonly messageExpiryInterval?: number;
}

export interface ChannelOperation {
  /** The action from the view of the gateway: it receives the messages of devices. */
  readonly action: 'send' | 'receive';
  readonly channel: { readonly $ref: string };
  readonly summary: string;
  readonly bindings: { readonly mqtt: OperationBinding };
}

interface BrokerServer {
  readonly host: string;
  readonly protocol: 'mqtt' | 'mqtts';
  readonly protocolVersion: '5.0';
  readonly description: string;
}

/** The ports of the broker; `tlsPort` is null if TLS is not configured. */
export interface BrokerPorts {
  readonly port: number;
  readonly tlsPort: number | null;
}

export interface AsyncApiDocument {
  readonly asyncapi: '3.0.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly defaultContentType: string;
  readonly servers: Readonly<Record<string, BrokerServer>>;
  readonly channels: Readonly<Record<string, Channel>>;
  readonly operations: Readonly<Record<string, ChannelOperation>>;
}

interface Topic {
  readonly suffix: string;
  readonly action: ChannelOperation['action'];
  readonly summary: string;
  readonly payload: JsonSchema;
  readonly retain?: boolean;
  readonly properties?: Omit<MessageBinding, 'bindingVersion'>;
}

const BINDING_VERSION = '0.2.0';
const TEXT = Type.String();
const PARAMETER_TEXTS: Readonly<Record<string, string>> = {
  topicRoot: 'The namespace of one device, as configured: levels of a-z, A-Z, 0-9, - and _',
  fieldName: `One of: ${STATUS_FIELDS.map(({ name }) => name).join(', ')}, in any spelling of a status`,
  variableName: 'A variable on the device’s tracking list',
};

/** The topic table (interface.md, MQTT). */
const TOPICS: Readonly<Record<string, Topic>> = {
  status: {
    suffix: 'status',
    action: 'receive',
    summary: 'A whole status; answered by a command',
    payload: DEVICE_STATUS,
    properties: {
      correlationData: Type.String({ description: 'The command that answers this status has it too' }),
      responseTopic: Type.String({ description: 'A topic below the own root: the JSON command goes there too' }),
    },
  },
  statusField: { suffix: 'status/{fieldName}', action: 'receive', summary: 'One field of a status', payload: TEXT },
  online: {
    suffix: 'online',
    action: 'receive',
    summary: 'Here, or about to go',
    payload: TRUE_OR_FALSE,
    retain: true,
  },
  lwt: { suffix: 'lwt', action: 'receive', summary: 'The last will: gone', payload: TRUE_OR_FALSE, retain: true },
  vars: { suffix: 'vars', action: 'receive', summary: 'Variables, acknowledged once on disk', payload: VARIABLES },
  variable: { suffix: 'vars/{variableName}', action: 'receive', summary: 'One variable', payload: TEXT },
  command: {
    suffix: 'command',
    action: 'send',
    summary: 'Whether the device may run, and why not',
    payload: MQTT_COMMAND,
    properties: {
      payloadFormatIndicator: 1,
      contentType: 'application/json',
      correlationData: Type.String({ description: 'Of the status that is answered; none where none is answered' }),
    },
  },
  runEnabled: { suffix: 'command/run-enabled', action: 'send', summary: 'The same as one character', payload: BIT },
  attentionNeeded: { suffix: 'command/attention-needed', action: 'send', summary: 'Attention as one', payload: BIT },
  legacyRunEnabled: { suffix: 'run-enabled', action: 'send', summary: 'Deprecated: command/run-enabled', payload: BIT },
  legacyAttentionNeeded: {
    suffix: 'attention-needed',
    action: 'send',
    summary: 'Deprecated: command/attention-needed',
    payload: BIT,
  },
};

/** The topics of devices as AsyncAPI 3, made from the descriptions of the device endpoints. */
export function asyncApi(version: string, ports: BrokerPorts | null): AsyncApiDocument {
  const topics = Object.entries(TOPICS);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'plantgate devices',
      version,
      description:
        'MQTT 3.1.1, 5 and 3.1 on one port, TLS on a port of its own where it is configured. The client id is the machine’s id; sessions may be persistent. The bindings have the properties of MQTT 5. In MQTT 5 a refused message is acknowledged with the code 0x99 or 0x87 and a Reason String, and a JSON command that stops the machine has the user property “cause”.',
    },
    defaultContentType: 'application/json',
    servers: ports === null ? {} : serversOf(ports),
    channels: Object.fromEntries(topics.map(([name, topic]) => [name, channelOf(topic)])),
    operations: Object.fromEntries(topics.map(([name, topic]) => [name, operationOf(name, topic)])),
  };
}

function serversOf({ port, tlsPort }: BrokerPorts): AsyncApiDocument['servers'] {
  const server = (protocol: BrokerServer['protocol'], at: number): BrokerServer => ({
    host: `localhost:${at}`,
    protocol,
    protocolVersion: '5.0',
    description: 'MQTT 3.1.1 and 3.1 are served on the same port.',
  });
  const gateway = server('mqtt', port);
  return tlsPort === null ? { gateway } : { gateway, gatewayTls: server('mqtts', tlsPort) };
}

function channelOf({ suffix, summary, payload, properties }: Topic): Channel {
  const address = `{topicRoot}/${suffix}`;
  const names = [...address.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const contentType = 'properties' in payload ? 'application/json' : 'text/plain';
  return {
    address,
    description: summary,
    parameters: Object.fromEntries(names.map((name) => [name, { description: PARAMETER_TEXTS[name] ?? name }])),
    messages: {
      message: {
        contentType,
        payload,
        ...(properties && { bindings: { mqtt: { bindingVersion: BINDING_VERSION, ...properties } } }),
      },
    },
  };
}

function operationOf(name: string, { action, summary, retain = false }: Topic): ChannelOperation {
  const expiry = action === 'send' ? { messageExpiryInterval: COMMAND_LIFETIME_S } : {};
  const mqtt = { bindingVersion: BINDING_VERSION, qos: 1, retain, ...expiry };
  return { action, channel: { $ref: `#/channels/${name}` }, summary, bindings: { mqtt } };
}
