import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { PAHO_2, PYTHON } from '../this-computer.ts';
import { oddMqttGateway } from './odd-gateway.ts';
import { behavesAsADevice, SampleDevice, speaksMqtt5 } from './sample-behaviour.ts';

const file = path.resolve(import.meta.dirname, '../../firmware-samples/python/device.py');

/** Python loads this first: it shows the interface of the paho-mqtt version that is not installed. */
const OTHER_PAHO = `
import enum
import paho.mqtt.client as mqtt

def as_version_2():
    class Version(enum.Enum):
        VERSION1 = 1
        VERSION2 = 2
    class Client(mqtt.Client):
        def __init__(self, version, client_id="", clean_session=None):
            assert version is Version.VERSION2
            super().__init__(client_id=client_id, clean_session=clean_session)
        def _with_properties(self, callback):
            return lambda *words: callback(*words, None)
        def __setattr__(self, name, value):
            if name == "on_connect":
                value = self._with_properties(value)
            if name == "on_disconnect":
                given = value
                value = lambda client, data, reason: given(client, data, None, reason, None)
            super().__setattr__(name, value)
    mqtt.CallbackAPIVersion, mqtt.Client = Version, Client

def as_version_1():
    versions, newer = mqtt.CallbackAPIVersion, mqtt.Client
    del mqtt.CallbackAPIVersion
    mqtt.Client = lambda **words: newer(versions.VERSION1, **words)

(as_version_1 if hasattr(mqtt, "CallbackAPIVersion") else as_version_2)()
`;

describe('the Python sample', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'plantgate-python-'));
  beforeAll(() => writeFileSync(path.join(folder, 'sitecustomize.py'), OTHER_PAHO));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  behavesAsADevice(() => ({ command: [PYTHON, file], transport: 'mqtt', takesPassword: true }));

  it('works with the callbacks of paho-mqtt 1.x and 2.x', async () => {
    const odd = await oddMqttGateway('{"runEnabled":true,"attentionNeeded":false,"message":null}');
    const sample = { command: [PYTHON, file], transport: 'mqtt', environment: { PYTHONPATH: folder } } as const;
    const started = new SampleDevice(sample, odd.port, 60_000);
    try {
      await started.decides(/run=1 light=0 override=0/);
    } finally {
      await started.end();
      odd.close();
    }
  });

  it.each([
    ['paho-mqtt of this computer', {}, /./],
    ...(existsSync(PAHO_2)
      ? [['paho-mqtt 2', { PYTHONPATH: PAHO_2 }, /^gateway: message: .*: .*plant1\/rollformer-2/] as const]
      : []),
  ] as const)(
    'P-REASON works over MQTT 5 with %s; 2.x prints the reason of a refused message',
    (_, environment, reason) =>
      speaksMqtt5({ command: [PYTHON, file], transport: 'mqtt', environment }, 'RF-02', reason),
  );
});
