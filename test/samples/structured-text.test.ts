import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { behavesAsADevice } from './sample-behaviour.ts';
import { clock, compile, type Library } from './structured-text/body.ts';

const root = path.resolve(import.meta.dirname, '../../firmware-samples');
const runner = path.join(import.meta.dirname, 'structured-text/device-process.ts');
const CORES = ['codesys/FB_Plantgate.st', 'siemens/Plantgate.scl'];
const files = ['codesys', 'siemens'].flatMap((folder) =>
  readdirSync(path.join(root, folder)).map((name) => `${folder}/${name}`),
);

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

/** The members of the core are checked in the programs that use it. */
function library(file: string) {
  const cores = CORES.map((core) => compile(read(core), core.endsWith('.scl')).unit);
  const own = cores.map(({ name, variables }) => [name.toUpperCase(), variables.map((variable) => variable.name)]);
  return { ...LIBRARIES, ...Object.fromEntries(own), [file]: [] };
}

interface Cycle {
  /** What the core was called with. */
  readonly given: unknown;
  /** The variables of the program after the cycle. */
  readonly memory: Readonly<Record<string, unknown>>;
}

/** One cycle of a program with stand-ins for its blocks. */
function runProgram(file: string, core: string, blocks: (memory: Record<string, unknown>) => object): Cycle {
  const { memory, cycle } = compile(read(file), file.endsWith('.scl'), library(file));
  let given: unknown;
  const take = (call: unknown) => {
    given = call;
  };
  const outputs = { smachineid: 'RF-01', bconnect: true, bsend: false, sstatus: '' };
  const all = memory as Record<string, unknown>;
  Object.assign(all, blocks(all), { [core]: Object.assign(take, outputs, { connect: true, send: false, status: '' }) });
  cycle();
  return { given, memory: all };
}

/** A connection as the client of MQTT 5 shows it. */
const CONNECTED = { bconnected: true, fbconnackprops: { nreasoncode: 0 }, fbdisconnectprops: {} };

/** The program for MQTT 3.1.1 or, with a connection of MQTT 5, the one for 5. */
function twinCat(topic: string, connection?: object): Cycle {
  const queue = { nqueuedmessages: 1, dequeue: () => true };
  const methods = { execute: ignore, subscribe: () => true, publish: ignore };
  const name = connection === undefined ? 'PRG_Plantgate_TwinCAT' : 'PRG_Plantgate_TwinCAT_MQTT5';
  return runProgram(`codesys/${name}.st`, 'fbplantgate', (memory) => ({
    fbclient: {
      ...(connection ?? { bconnected: true }),
      ...methods,
      stwill: { fbpayload: { setdata: ignore } },
      stconnect: {},
      fbmessagequeue: queue,
    },
    fbqueue: queue,
    fbmessage: {
      npayloadsize: 2,
      getpayload: ignore,
      gettopic: () => {
        memory.stopic = topic;
      },
    },
  }));
}

/** The program for CODESYS, whose client failed with a reason and whose status was not sent. */
function codesys(): Cycle {
  const outputs = { xerror: true, xconnectedtobroker: false, xsubscribeactive: false, xreceived: false };
  const block = (more: object) => Object.assign(() => undefined, outputs, more);
  return runProgram('codesys/PRG_Plantgate_CODESYS.st', 'fbplantgate', () => ({
    fbclient: block({ ereasoncode: 'Bad_User_Name_or_Password' }),
    fbcommand: block({}),
    fbonline: block({}),
    fbstatus: block({ emqtterror: 'CLIENT_NOT_CONNECTED' }),
  }));
}

function siemens(topic: string): Cycle {
  for (const name of ['STRG_TO_CHARS', 'CHARS_TO_STRG']) vi.stubGlobal(name, ignore);
  const status = { valid: true, done: false, error: false, receivedmsgstatus: 1, receivedmsgdatalen: 2 };
  return runProgram('siemens/PlantgateMqtt.scl', 'core', (memory) => ({
    client: Object.assign(() => {
      memory.receivedtopic = topic;
    }, status),
  }));
}

const ignore = () => undefined;

describe('structured text and SCL', () => {
  it.each(files)(
    '%s: every statement ends, every name is declared, library blocks have the members that are used',
    (file) => {
      expect(compile(read(file), file.endsWith('.scl'), library(file)).unit.variables.length).toBeGreaterThan(0);
    },
  );

  const BODY = 'PROGRAM P\nVAR a : INT; b : BOOL; END_VAR\n';
  it.each([
    ['a := 1', /expected ;/],
    ['IF b THEN a := 1;', /END_PROGRAM is not declared/],
    ['a := c;', /C is neither declared nor a function/],
    ['c := 1;', /c is not declared/],
    ["a := LEFT('x');", /LEFT takes 2 parameters/],
    ['a = 1;', /expected :=/],
    ['FOR a := 1 TO 3 a := 1; END_FOR', /expected DO/],
    ['a := "x;', /is no token/],
  ])('the checker finds the fault in %s', (statement, message) => {
    expect(() => compile(`${BODY}${statement}\nEND_PROGRAM`, false)).toThrow(message);
  });

  it('the checker finds a member that a block inside a block does not have', () => {
    const file = 'codesys/PRG_Plantgate_TwinCAT_MQTT5.st';
    const wrong = read(file).replace('fbDisconnectProps.sReasonString', 'fbDisconnectProps.sReasonText');
    expect(() => compile(wrong, false, library(file))).toThrow(/FBDISCONNECTPROPS has no sReasonText/);
  });

  it.each(CORES)('%s: the longest status fits into the text that holds it', (file) => {
    const { memory, cycle } = compile(read(file), file.endsWith('.scl'));
    const key = (name: string) => Object.keys(memory).find((one) => one.endsWith(name.toLowerCase())) ?? '';
    clock.nowMs = 0;
    for (const name of ['machineId', 'partId']) memory[key(name)] = 'M'.repeat(20);
    for (const name of ['cycle', 'goodPart', 'badPart']) memory[key(name)] = 4_294_967_295;
    // Thirty years without a restart.
    memory[key('msSinceBoot')] = 946_080_000_000;
    memory[key('connected')] = true;
    cycle();
    const status = String(memory[key('status')]);
    expect(JSON.parse(status)).toMatchObject({ badPart: 4_294_967_295, mSecSinceBoot: 946_080_000_000 });
    expect(status.length).toBeLessThan(250);
  });

  const ROOT = 'plant1/rollformer-1';
  it.each([
    [`${ROOT}/command`, true],
    [`${ROOT}/command/run-enabled`, false],
  ])('the programs for TwinCAT and Siemens take a message on %s as an answer: %s', (topic, isAnswer) => {
    expect(twinCat(topic).given).toMatchObject({ bnewanswer: isAnswer });
    expect(twinCat(topic, CONNECTED).given).toMatchObject({ bnewanswer: isAnswer });
    expect(siemens(topic).given).toMatchObject({ newanswer: isAnswer });
  });

  const refused = { bconnected: false, fbconnackprops: { nreasoncode: 134, sreasonstring: 'wrong password' } };
  const closed = { bpropertiesavailable: true, nreasoncode: 142, sreasonstring: 'another client came in' };
  it.each([
    ['a connection that stands', CONNECTED, 0, ''],
    ['a connection that is refused', { ...refused, fbdisconnectprops: closed }, 134, 'wrong password'],
    [
      'a connection that the gateway closed',
      { ...CONNECTED, bconnected: false, fbdisconnectprops: closed },
      142,
      'another client came in',
    ],
  ])('P-REASON the program for TwinCAT with MQTT 5 shows the reason of %s', (_, connection, code, sentence) => {
    expect(twinCat(`${ROOT}/command`, connection).memory).toMatchObject({ nreason: code, sreason: sentence });
  });

  it('P-REASON the program for CODESYS shows the code of a connection that is refused', () => {
    const expected = { ereason: 'Bad_User_Name_or_Password', estatuserror: 'CLIENT_NOT_CONNECTED' };
    expect(codesys().memory).toMatchObject(expected);
  });

  describe.concurrent.each(CORES)('%s', (file) => {
    behavesAsADevice(() => ({ command: [process.execPath, runner, path.join(root, file)], transport: 'mqtt' }));
  });
});

/** The parts of the makers' libraries that the samples use, from their manuals. */
const LIBRARIES: Library = {
  // Beckhoff TF6701, Tc3_IotBase
  FB_IOTMQTTCLIENT: [
    'sClientId',
    'sHostName',
    'nHostPort',
    'nKeepAlive',
    'sUserName',
    'sUserPassword',
    'stWill',
    'ipMessageQueue',
    'bConnected',
    'Execute',
    'Publish',
    'Subscribe',
  ],
  // The same library for MQTT 5
  FB_IOTMQTT5CLIENT: [
    'sClientId',
    'sHostName',
    'nHostPort',
    'nKeepAlive',
    'sUserName',
    'sUserPassword',
    'stWill',
    'stConnect',
    'bConnected',
    'fbMessageQueue',
    'fbConnAckProps',
    'fbDisconnectProps',
    'Execute',
    'Publish',
    'Subscribe',
  ],
  'FB_IOTMQTT5CLIENT.STWILL': ['sTopic', 'fbPayload', 'eQoS', 'bRetain', 'nDelay'],
  'FB_IOTMQTT5CLIENT.STWILL.FBPAYLOAD': ['SetData'],
  'FB_IOTMQTT5CLIENT.STCONNECT': ['nSessionExpire', 'nMaxPacketSize', 'nReceiveMax', 'nTopicAliasMax'],
  'FB_IOTMQTT5CLIENT.FBMESSAGEQUEUE': ['nQueuedMessages', 'Dequeue'],
  'FB_IOTMQTT5CLIENT.FBCONNACKPROPS': ['bPropertiesAvailable', 'nReasonCode', 'sReasonString'],
  'FB_IOTMQTT5CLIENT.FBDISCONNECTPROPS': ['bPropertiesAvailable', 'nReasonCode', 'sReasonString'],
  FB_IOTMQTT5MESSAGE: ['nPayloadSize', 'GetPayload', 'GetTopic'],
  FB_IOTMQTTMESSAGEQUEUE: ['nQueuedMessages', 'Dequeue'],
  FB_IOTMQTTMESSAGE: ['nPayloadSize', 'GetPayload', 'GetTopic'],
  TCIOTMQTTQOS: ['AtMostOnceDelivery', 'AtLeastOnceDelivery', 'ExactlyOnceDelivery'],
  // Siemens LMQTT_Client, and two instructions of TIA Portal
  LMQTT_CLIENT: [
    'enable',
    'subscribe',
    'publish',
    'unsubscribe',
    'qos',
    'retain',
    'publishMsgLen',
    'willMsgLen',
    'connParam',
    'clientIdentifier',
    'username',
    'password',
    'willTopic',
    'willMsgPayload',
    'mqttTopic',
    'publishMsgPayload',
    'receivedTopic',
    'receivedMsgPayload',
    'valid',
    'done',
    'error',
    'receivedMsgStatus',
    'receivedMsgDataLen',
  ],
  STRG_TO_CHARS: ['Strg', 'pChars', 'Cnt', 'Chars'],
  CHARS_TO_STRG: ['Chars', 'pChars', 'Cnt', 'Strg'],
  // CODESYS MQTT Client SL
  MQTT: ['MQTT_QOS', 'MQTT_VERSION'],
  'MQTT.MQTT_VERSION': ['V3_1_1', 'V5'],
  'MQTT.MQTT_QOS': ['QoS0', 'QoS1', 'QoS2'],
  'MQTT.MQTTCLIENT': [
    'xEnable',
    'sHostname',
    'uiPort',
    'sClientId',
    'uiKeepAlive',
    'xCleanSession',
    'wsUsername',
    'wsPassword',
    'wsWillTopic',
    'pbWillMessage',
    'uiWillMessageSize',
    'xWillRetain',
    'eWillQoS',
    'eMQTTVersion',
    'xConnectedToBroker',
    'xError',
    'eReasonCode',
  ],
  'MQTT.MQTTSUBSCRIBE': [
    'xEnable',
    'eSubscribeQoS',
    'pbPayload',
    'udiMaxPayloadSize',
    'mqttClient',
    'wsTopicFilter',
    'xReceived',
    'udiPayloadSize',
    'xSubscribeActive',
  ],
  'MQTT.MQTTPUBLISH': [
    'xExecute',
    'pbPayload',
    'udiPayloadSize',
    'eQoS',
    'xRetain',
    'mqttClient',
    'wsTopicName',
    'xDone',
    'xError',
    'eMQTTError',
  ],
};
