import type { Coil } from '../plant/plant.ts';
import { type Mirrored, mirrored } from './mirrored.ts';

/** A coil of the central server (interface.md, Coils). */
export function mirroredCoil(value: unknown): Mirrored<Coil> {
  return mirrored(value, 'coilId', (coil) => ({
    coilId: coil.id('coilId'),
    materialCode: coil.textOrNull('materialCode'),
    description: coil.textOrNull('description'),
    materialType: coil.textOrNull('materialType'),
    color: coil.textOrNull('color'),
    gauge: coil.integerOrNull('gauge'),
    widthIn: coil.numberOrNull('widthIn'),
    lengthStartFt: coil.numberOrNull('lengthStartFt'),
    lengthRemainingFt: coil.numberOrNull('lengthRemainingFt'),
    currentWeightLbs: coil.numberOrNull('currentWeightLbs'),
    isComplete: coil.flag('isComplete'),
    isStarted: coil.flag('isStarted'),
    location: coil.id('location'),
    dateIn: coil.textOrNull('dateIn'),
    vendorName: coil.textOrNull('vendorName'),
    heatNumber: coil.textOrNull('heatNumber'),
    purchaseOrder: coil.textOrNull('purchaseOrder'),
  }));
}
