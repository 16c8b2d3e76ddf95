import { TOLD_LIMITS, type ToldPlant, type ToldRate } from '../../domain/fleet/told-plant.ts';
import type { Machine } from '../../domain/plant/plant.ts';
import type { WorkPlanSettings } from '../../domain/shift/work-plan.ts';
import type { Plant } from '../plant/plant.ts';

interface OwnPlantSources {
  readonly plant: Pick<Plant, 'machines' | 'parts' | 'downtimeReasons'>;
  readonly shifts: WorkPlanSettings;
}

/** The part of the plant that the central server is told (D-105). */
export function ownPlant({ plant, shifts }: OwnPlantSources): ToldPlant {
  const { timeZone, daysOff = [] } = shifts;
  return {
    timeZone,
    shifts: shifts.shifts.slice(0, TOLD_LIMITS.shifts),
    daysOff: daysOff.slice(0, TOLD_LIMITS.daysOff),
    machines: plant.machines().slice(0, TOLD_LIMITS.machines).map(toldMachine),
    reasons: plant
      .downtimeReasons()
      .slice(0, TOLD_LIMITS.reasons)
      .map(({ id, reason, group, planned = null }) => ({ id, reason, group, planned })),
    rates: ratesOf(plant.parts()),
  };
}

function toldMachine({ machineId, name, area, idealPartsPerMinute, targetPartsPerShift }: Machine) {
  return {
    machineId,
    name,
    area: area ?? null,
    idealPartsPerMinute: idealPartsPerMinute ?? null,
    targetPartsPerShift: targetPartsPerShift ?? null,
  };
}

function ratesOf(parts: ReturnType<Plant['parts']>): readonly ToldRate[] {
  const rates: ToldRate[] = [];
  for (const { partId, idealPartsPerMinute, machineRates = [] } of parts) {
    if (rates.length >= TOLD_LIMITS.rates) break;
    if (idealPartsPerMinute !== undefined) rates.push({ partId, machineId: null, idealPartsPerMinute });
    for (const rate of machineRates) rates.push({ partId, ...rate });
  }
  return rates.slice(0, TOLD_LIMITS.rates);
}
