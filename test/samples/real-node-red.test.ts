import path from 'node:path';
import { describe, it } from 'vitest';
import { behavesAsADevice, type Sample, speaksMqtt5 } from './sample-behaviour.ts';

const file = path.resolve(import.meta.dirname, '../../firmware-samples/node-red/flow.json');
const runner = path.join(import.meta.dirname, 'node-red-process.ts');

const sample: Sample = { command: [process.execPath, runner, 'node-red', file], transport: 'mqtt' };

describe('the Node-RED flow in Node-RED', () => {
  behavesAsADevice(() => sample);

  it('P-REASON shows the name of the code when a status is refused; Node-RED does not hand on the sentence', () =>
    speaksMqtt5(sample, 'RF-09', /^The gateway refuses the status: Payload format invalid\. The machine's place/));
});
