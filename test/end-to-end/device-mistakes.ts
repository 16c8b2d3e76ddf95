import { connect as connectPlain } from 'node:net';
import { connect } from 'node:tls';
import { RawClient } from '../adapters/broker/raw-client.ts';
import type { Program } from './program.ts';

export const TOPIC = 'plant1/rollformer-1';

const STATUS = {
  machineId: 'RF-01',
  running: true,
  machinePower: true,
  override: false,
  mSecSinceBoot: 1_000,
  cycle: 1,
  goodPart: 1,
  badPart: 0,
};

/** A mistake that people make when they connect a device, and the words of its report with the remedy. */
export interface Mistake {
  readonly name: string;
  readonly make: (program: Program) => Promise<void>;
  /** The kind of incident in diagnostics. */
  readonly kind: string;
  readonly words: string;
  /** Words in the messages of the machine; left out if it is no message of the machine. */
  readonly message?: string;
  /** The mistake needs a gateway that asks machines for their passwords. */
  readonly needsPassword?: true;
}

function text(more: object = {}): string {
  return JSON.stringify({ ...STATUS, ...more });
}

function publish(topic: string, payload: string | Buffer, more: { qos?: 0 | 1; retain?: boolean; id?: string } = {}) {
  return async ({ mqttPort }: Program) => {
    const client = await RawClient.connected(mqttPort, more.id ?? 'RF-01');
    const { qos = 1, retain = false } = more;
    client.send({ cmd: 'publish', topic, payload, qos, retain, dup: false, ...(qos > 0 && { messageId: 21 }) });
    if (qos > 0) await client.next('puback');
    client.end();
  };
}

function status(payload: string | Buffer) {
  return publish(`${TOPIC}/status`, payload);
}

/** One refused status: the kind of its report, and the words. */
function refused(name: string, payload: string | Buffer, words: string): Mistake {
  return { name, make: status(payload), kind: 'malformed', words, message: words };
}

/** One message on a wrong topic of the machine's own connection or, `id` given, of another client. */
function wrongTopic(name: string, topic: string, meant: string, id?: string): Mistake {
  const words = `did you mean ${TOPIC}/${meant}?`;
  return {
    name,
    make: publish(topic, text(), id === undefined ? {} : { id }),
    kind: 'unmatchedTopic',
    words,
    message: words,
  };
}

function http(name: string, body: string | Buffer, words: string): Mistake {
  const make = async ({ httpPort }: Program) => {
    const url = `http://127.0.0.1:${httpPort}/api/device/status`;
    await (await fetch(url, { method: 'POST', body: new Uint8Array(Buffer.from(body)) })).text();
  };
  return { name, make, kind: 'malformed', words, message: words };
}

function connectWith(credentials: { readonly username?: string; readonly password?: Buffer }) {
  return async ({ mqttPort }: Program) => {
    const client = await RawClient.connected(mqttPort, 'RF-01', credentials);
    await client.untilClosed();
  };
}

/** A TLS client that does not trust the gateway's certificate: it sends an alert, or hangs up. */
function distrust(maxVersion: 'TLSv1.2' | 'TLSv1.3') {
  return async (program: Program) => {
    const { body } = await program.api('GET', '/system');
    const port: number = body.addresses.mqttTlsPort;
    await new Promise<void>((resolve) => {
      connect({ port, host: '127.0.0.1', maxVersion }, resolve).once('error', () => resolve());
    });
  };
}

/** Bytes of another protocol. */
function speak(bytes: string | readonly number[], portOf: (program: Program) => Promise<number> | number) {
  return async (program: Program) => {
    const port = await portOf(program);
    await new Promise<void>((resolve) => {
      const socket = connectPlain({ port, host: '127.0.0.1' }, () => socket.write(Buffer.from(bytes)));
      socket.resume().on('error', () => undefined);
      socket.once('close', () => resolve());
    });
  };
}

const TLS_HELLO = [0x16, 0x03, 0x01, 0x00, 0x02, 0x01, 0x00];
const MQTT_CONNECT = [0x10, 0x10, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 2, 0, 60, 0, 4, 0x61, 0x62, 0x63, 0x64];

const tlsPort = async (program: Program) => (await program.api('GET', '/system')).body.addresses.mqttTlsPort;

async function publishWithQos3({ mqttPort }: Program): Promise<void> {
  const client = await RawClient.connected(mqttPort, 'RF-01');
  const topic = Buffer.from(`${TOPIC}/status`);
  client.sendBytes(0x36, topic.length + 4, 0, topic.length, ...topic, 0, 21);
  await client.untilClosed();
}

async function setClockBack({ mqttPort }: Program): Promise<void> {
  const client = await RawClient.connected(mqttPort, 'RF-01');
  for (const mSecSinceBoot of [90_000_000, 80_000_000]) {
    client.publish(`${TOPIC}/status`, text({ mSecSinceBoot }), 1);
    await client.next('puback');
    // Two messages at once would be one too fast.
    await client.quiet(150);
  }
  client.end();
}

async function connectTwice({ mqttPort }: Program): Promise<void> {
  const first = await RawClient.connected(mqttPort, 'RF-01');
  const second = await RawClient.connected(mqttPort, 'RF-01');
  await first.untilClosed();
  second.end();
}

async function sendTooFast({ mqttPort }: Program): Promise<void> {
  const client = await RawClient.connected(mqttPort, 'RF-01');
  for (let count = 0; count < 40; count++) client.publish(`${TOPIC}/status`, text({ mSecSinceBoot: 2_000 + count }));
  await client.quiet();
  client.end();
}

const UTF_16 = Buffer.from(text(), 'utf16le');
const LATIN_1 = Buffer.from(text({ partName: 'Bläche' }), 'latin1');

export const MISTAKES: readonly Mistake[] = [
  wrongTopic('another case of the topic', `${TOPIC}/Status`, 'status'),
  wrongTopic('another word for status', `${TOPIC}/state`, 'status'),
  wrongTopic('the machine id as root', 'RF-01/status', 'status', 'some-plc'),
  wrongTopic('a leading slash', `/${TOPIC}/status`, 'status', 'some-plc'),
  wrongTopic('a root in another case', 'Plant1/Rollformer-1/status', 'status', 'some-plc'),
  wrongTopic('a root one letter off', 'plant1/rolformer-1/status', 'status', 'some-plc'),
  wrongTopic('the root alone', TOPIC, 'status', 'some-plc'),
  {
    name: 'an unlisted variable',
    make: publish(`${TOPIC}/vars/lineSped`, '1'),
    kind: 'unmatchedTopic',
    words: 'not on the tracking list of the machine; did you mean lineSpeed?',
    message: 'did you mean lineSpeed?',
  },
  {
    name: 'a variable that is no number',
    make: publish(`${TOPIC}/vars/lineSpeed`, 'fast'),
    kind: 'malformed',
    words: 'expected a number',
    message: 'expected a number',
  },
  {
    name: "another machine's topic",
    make: publish('plant1/rollformer-2/status', text()),
    kind: 'forbiddenPublish',
    words: 'a machine publishes below its own topic root',
    message: `publish below ${TOPIC}`,
  },
  refused('a number in another form', text({ cycle: 'T#5s' }), 'it looks like a time'),
  refused(
    'fields two levels down',
    JSON.stringify({ data: { status: JSON.parse(text()) } }),
    'data.status: the fields',
  ),
  refused(
    'a required field misspelt',
    text({ goodPart: undefined, goodParst: 1 }),
    'goodParst: did you mean goodPart?',
  ),
  refused('a required field left out', text({ override: undefined }), 'override: found nothing'),
  refused('a wrong type', text({ cycle: 'many' }), 'cycle: found "many", expected an integer'),
  refused('a fraction', text({ cycle: 1.5 }), 'cycle: found 1.5, expected an integer'),
  refused('a negative counter', text({ badPart: -1 }), 'badPart: found -1'),
  refused('the id of another machine', text({ machineId: 'RF-02' }), 'found "RF-02", expected RF-01'),
  refused('the id in another case', text({ machineId: 'rf-01' }), 'found "rf-01", expected RF-01'),
  refused('a comma too many', text().replace('}', ',}'), 'a comma too many'),
  refused('single quotes', text().replaceAll('"', "'"), 'double quotes'),
  refused('names without quotes', text().replace('"cycle"', 'cycle'), 'a name without quotes'),
  refused('a text cut off', text().slice(0, 60), 'it ends too early'),
  refused('the rest of a longer text', `${text()}0}`, 'text after the closing }'),
  refused('UTF-16', UTF_16, 'found UTF-16, expected JSON in UTF-8'),
  refused('a list', `[${text()}]`, 'send one object'),
  refused('JSON in JSON', JSON.stringify(text()), 'encoded twice'),
  refused('a wrapper', `{"data":${text()}}`, 'send them at the top'),
  refused('an empty payload', '', 'the payload is empty'),
  { name: 'Latin-1', make: status(LATIN_1), kind: 'tolerated', words: 'perhaps Latin-1' },
  {
    name: 'a byte order mark',
    make: status(`\ufeff${text()}`),
    kind: 'tolerated',
    words: 'a byte order mark in front',
  },
  { name: 'NUL bytes behind', make: status(`${text()}\0\0`), kind: 'tolerated', words: 'NUL bytes or blanks behind' },
  {
    name: 'retain',
    make: publish(`${TOPIC}/status`, text(), { retain: true }),
    kind: 'tolerated',
    words: 'turn retain off',
  },
  {
    name: 'a rate too high',
    make: sendTooFast,
    kind: 'rateLimited',
    words: 'devices.maxUpdatesPerSecond',
    message: 'faster',
  },
  { name: 'a duplicate client id', make: connectTwice, kind: 'duplicateClientId', words: 'two clients use this id' },
  {
    name: 'a wrong password',
    make: connectWith({ username: 'plc', password: Buffer.from('guess') }),
    needsPassword: true,
    kind: 'accessRefused',
    words: 'wrong password: set the mqttPassword of the machine in the client (user name "plc")',
  },
  {
    name: 'no password',
    make: connectWith({}),
    needsPassword: true,
    kind: 'accessRefused',
    words: 'no password: mqtt.access asks for the mqttPassword',
  },
  {
    name: 'another client id than the machine',
    make: async ({ mqttPort }) => (await RawClient.connected(mqttPort, 'rf01')).untilClosed(),
    needsPassword: true,
    kind: 'accessRefused',
    words: 'use the id of a machine as client id',
  },
  { name: 'TLS 1.3 without the CA', make: distrust('TLSv1.3'), kind: 'accessRefused', words: 'give the client the CA' },
  { name: 'TLS 1.2 without the CA', make: distrust('TLSv1.2'), kind: 'accessRefused', words: 'give the client the CA' },
  {
    name: 'TLS on the port without TLS',
    make: speak(TLS_HELLO, ({ mqttPort }) => mqttPort),
    kind: 'protocolViolation',
    words: 'choose the port of mqtt.tls',
  },
  {
    name: 'no TLS on the port with TLS',
    make: speak(MQTT_CONNECT, tlsPort),
    kind: 'accessRefused',
    words: 'turn TLS on in the client',
  },
  {
    name: 'HTTP on the port of MQTT',
    make: speak('GET / HTTP/1.1\r\n\r\n', ({ mqttPort }) => mqttPort),
    kind: 'protocolViolation',
    words: 'choose http.port',
  },
  {
    name: 'a status by POST on the port of MQTT',
    make: speak(
      `POST /api/device/status HTTP/1.1\r\nHost: gateway:1883\r\n${' '.repeat(80)}`,
      ({ mqttPort }) => mqttPort,
    ),
    kind: 'protocolViolation',
    words: 'choose http.port',
  },
  {
    name: 'MQTT on the port of HTTP',
    make: speak(MQTT_CONNECT, ({ httpPort }) => httpPort),
    kind: 'brokenHttp',
    words: 'choose mqtt.port',
  },
  { name: 'QoS 3', make: publishWithQos3, kind: 'protocolViolation', words: 'choose 0, 1 or 2' },
  {
    name: 'mSecSinceBoot that goes back without a reboot',
    make: setClockBack,
    kind: 'deviceClock',
    words: 'from a clock that is never set',
  },
  http('HTTP: a comma too many', text().replace('}', ',}'), 'a comma too many'),
  http('HTTP: a field misspelt', text({ running: undefined, runing: true }), 'runing: did you mean running?'),
  http('HTTP: Latin-1', LATIN_1, 'found bytes that are not UTF-8'),
  http('HTTP: UTF-16', UTF_16, 'found UTF-16, expected JSON in UTF-8'),
  http('HTTP: UTF-16 with its mark', Buffer.concat([Buffer.from([0xff, 0xfe]), UTF_16]), 'found UTF-16'),
  {
    name: 'a machine that is not set up, on a topic of its own',
    make: publish('plant1/roll-7/status', text({ machineId: 'RF-1' }), { id: 'some-plc' }),
    kind: 'unknownDevice',
    words: 'seen, not configured; did you mean RF-01?; it publishes on plant1/roll-7/status',
  },
  {
    name: 'HTTP: an unknown machine',
    make: async (program) => void (await program.device('status', text({ machineId: 'RF-1' }))),
    kind: 'unknownDevice',
    words: 'seen, not configured; did you mean RF-01?',
  },
];
