import { expect, it } from 'vitest';
import { readPlantFile } from '../../../src/config/plant-file/read-plant-file.ts';

const reading = (serialNumber: string) =>
  readPlantFile(JSON.stringify({ machines: [{ machineId: 'A', topicRoot: 'a', serialNumber }] }), 'plant.yaml');

it.each(['SN:0001', ':', 'a\u0007', 'a\u0085b', ' a'])(
  'SYNC-01 a serial number that HTTP Basic cannot carry is refused: %j',
  (text) => {
    expect(reading(text)).toMatchObject({
      ok: false,
      faults: [{ path: 'machines[0].serialNumber', expected: expect.stringContaining('without a colon') }],
    });
  },
);

it.each(['SN-0001', '4711', 'Linie 3/ä #7'])('SYNC-01 a serial number that HTTP Basic carries is taken: %j', (text) => {
  expect(reading(text).ok).toBe(true);
});
