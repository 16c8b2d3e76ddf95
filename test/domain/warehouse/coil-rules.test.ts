import { describe, expect, it } from 'vitest';
import { coilMoveFaults } from '../../../src/domain/warehouse/transition.ts';
import { coilOf, surroundingsOf } from './warehouse-samples.ts';

const { isLocation } = surroundingsOf();

describe('moving a coil', () => {
  it.each(['WH-A2', 'WH-A1'])('COIL-04 a coil at WH-A1 may be moved to %s', (location) => {
    expect(coilMoveFaults(coilOf('C-1'), location, isLocation)).toEqual([]);
  });

  it('COIL-04 the location has to exist', () => {
    expect(coilMoveFaults(coilOf('C-1'), 'wh-a2', isLocation)).toEqual([
      { path: 'location', found: '"wh-a2"', expected: 'the code of an existing location' },
    ]);
  });

  it.each(['gauge', 'widthIn', 'lengthStartFt', 'lengthRemainingFt'] as const)(
    'COIL-04 D-19 a coil without %s has no extended record',
    (field) => {
      expect(coilMoveFaults(coilOf('C-1', { [field]: null }), 'WH-A2', isLocation)).toEqual([
        { path: 'coilId', found: `"C-1" without ${field}`, expected: 'a coil with an extended record' },
      ]);
    },
  );

  it('D-19 a used-up coil still has one', () => {
    expect(coilMoveFaults(coilOf('C-1', { lengthRemainingFt: 0, isComplete: true }), 'WH-A2', isLocation)).toEqual([]);
  });
});
