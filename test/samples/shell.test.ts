import path from 'node:path';
import { describe } from 'vitest';
import { behavesAsADevice } from './sample-behaviour.ts';

const file = path.resolve(import.meta.dirname, '../../firmware-samples/shell/device.sh');

describe('the shell sample', () => {
  behavesAsADevice(() => ({ command: ['bash', file], transport: 'http' }));
});
