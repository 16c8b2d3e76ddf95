import { ChangeSettings } from '../../../src/flows/settings/change-settings.ts';
import type { ChosenSettings, SettingsSection, ShiftSettings } from '../../../src/flows/settings/settings-ports.ts';

export const RUNNING: ShiftSettings = { timeZone: 'America/Boise', shifts: [{ name: 'Day', start: '06:00' }] };

/** The settings of a gateway that runs with `RUNNING`; what is kept for its next start is in `kept`. */
export function openTestSettings(fixed: readonly SettingsSection[] = []) {
  const kept: ChosenSettings[] = [];
  const settings = new ChangeSettings({
    judge: ({ shifts }) =>
      shifts?.timeZone === 'Mars/Olympus' ? [{ path: 'shifts.timeZone', found: 'Mars', expected: 'a zone' }] : [],
    keep: async (chosen) => {
      kept.push(chosen);
    },
    connect: () => Promise.reject(new Error('no server is tried here')),
    running: { shifts: RUNNING, upstream: null },
    fixed,
    chosen: {},
    clock: { now: () => ({ wallMs: 0, monotonicMs: 0 }) },
    restart: { by: 'other', command: null },
  });
  return { settings, kept };
}
