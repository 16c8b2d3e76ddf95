import type { ShownState } from '../plant/shown-state.ts';

/** The icon of each state: they differ in outline, so that none depends on colour. */
export const STATE_ICONS: Readonly<Record<ShownState, string>> = {
  held: 'held',
  fault: 'fault',
  faultRunning: 'fault',
  silent: 'silent',
  soon: 'warn',
  override: 'override',
  off: 'off',
  stopped: 'stopped',
  running: 'running',
};

/** The band of a tile that is not quiet. */
export const STATE_BANDS: Readonly<Partial<Record<ShownState, string>>> = {
  held: 'band-held',
  fault: 'band-held',
  faultRunning: 'band-warn',
  silent: 'band-silent',
  soon: 'band-warn',
  override: 'band-override',
};
