import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { behavesAsADevice } from './sample-behaviour.ts';

const file = path.resolve(import.meta.dirname, '../../firmware-samples/node-red/flow.json');
const runner = path.join(import.meta.dirname, 'node-red-process.ts');

describe('the Node-RED flow', () => {
  behavesAsADevice(() => ({ command: [process.execPath, runner, 'bare', file], transport: 'mqtt' }));

  it('is wired to nodes that exist, and names its broker in each MQTT node', () => {
    const flow: readonly {
      readonly id: string;
      readonly type: string;
      readonly wires?: string[][];
      broker?: string;
    }[] = JSON.parse(readFileSync(file, 'utf8'));
    const ids = flow.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(flow.flatMap(({ wires = [] }) => wires.flat()).filter((id) => !ids.includes(id))).toEqual([]);
    for (const { type, broker } of flow) if (type === 'mqtt in' || type === 'mqtt out') expect(ids).toContain(broker);
  });
});
