import path from 'node:path';
import { describe } from 'vitest';
import { behavesAsADevice } from './sample-behaviour.ts';

const file = path.resolve(import.meta.dirname, '../../firmware-samples/node-red/flow.json');
const runner = path.join(import.meta.dirname, 'node-red-process.ts');

describe('the Node-RED flow in Node-RED', () => {
  behavesAsADevice(() => ({ command: [process.execPath, runner, 'node-red', file], transport: 'mqtt' }));
});
