import type { Random } from '../random.ts';
import { AMBIENT_TEMPERATURE_F, type Readings, type SimulatedState } from './simulated-state.ts';

export const VARIABLE_NAMES = [
  'lineSpeed',
  'motorTemp',
  'hydraulicPressure',
] as const satisfies readonly (keyof Readings)[];

/** Their names and units for people at the page. */
export const VARIABLE_DETAILS = [
  { name: 'lineSpeed', label: 'Line speed', unit: 'ft/min' },
  { name: 'motorTemp', label: 'Motor temperature', unit: '°F' },
  { name: 'hydraulicPressure', label: 'Hydraulic pressure', unit: 'psi' },
] as const satisfies readonly { readonly name: keyof Readings; readonly label: string; readonly unit: string }[];

const SPEED_TAU_MS = 2_500;
const WARMING_TAU_MS = 240_000;
const PRESSURE_TAU_MS = 1_500;
const WORKING_TEMPERATURE_F = 158;
const WORKING_PRESSURE_PSI = 1_850;
const IDLE_PRESSURE_PSI = 1_500;
const STANDSTILL_FT_PER_MINUTE = 0.5;

/**
 * The variables `elapsedMs` later: each approaches, with a little noise, its final value for the present state of the
 * machine.
 */
export function drift(
  {
    readings,
    running,
    machinePower,
    machine,
  }: Pick<SimulatedState, 'readings' | 'running' | 'machinePower' | 'machine'>,
  elapsedMs: number,
  random: Random,
): Readings {
  const noise = (width: number) => (random() - 0.5) * width;
  const speed = running ? machine.ratedSpeedFtPerMinute * (1 + noise(0.04)) : 0;
  const lineSpeed = near(readings.lineSpeed, speed, elapsedMs, SPEED_TAU_MS);
  const temperature = running ? WORKING_TEMPERATURE_F : AMBIENT_TEMPERATURE_F;
  const pressure = (running ? WORKING_PRESSURE_PSI : IDLE_PRESSURE_PSI) + noise(60);
  return {
    lineSpeed: !running && lineSpeed < STANDSTILL_FT_PER_MINUTE ? 0 : lineSpeed,
    motorTemp: near(readings.motorTemp, temperature + noise(6), elapsedMs, WARMING_TAU_MS),
    hydraulicPressure: near(readings.hydraulicPressure, machinePower ? pressure : 0, elapsedMs, PRESSURE_TAU_MS),
  };
}

function near(value: number, target: number, elapsedMs: number, tauMs: number): number {
  return target + (value - target) * Math.exp(-elapsedMs / tauMs);
}

/** Controllers send one decimal. */
export function rounded(readings: Readings): Readings {
  const tenths = (value: number) => Math.round(value * 10) / 10;
  return {
    lineSpeed: tenths(readings.lineSpeed),
    motorTemp: tenths(readings.motorTemp),
    hydraulicPressure: tenths(readings.hydraulicPressure),
  };
}
