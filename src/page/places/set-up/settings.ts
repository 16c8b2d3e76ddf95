import { type Signal, signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SettingsChange, SettingsView, ShiftSettings } from '../../../flows/settings/settings-ports.ts';
import { call, type Outcome } from '../../api/call.ts';
import { onEvent } from '../../api/live.ts';
import { isDone } from '../../app/tell-outcome.ts';

/** The settings as they are typed. */
export interface Draft extends ShiftSettings {
  readonly url: string;
  readonly apiKey: string;
}

/** The chosen settings as the gateway said them last; null: not loaded, or not permitted. */
export const settings = signal<SettingsView | null>(null);

export async function loadSettings(): Promise<Outcome<SettingsView>> {
  const outcome = await call<SettingsView>('GET', '/settings');
  if (outcome.kind === 'done') settings.value = outcome.value;
  return outcome;
}

/** The chosen settings as a draft to change; null until they are loaded. */
export function useDraft(): Signal<Draft | null> {
  const draft = useSignal<Draft | null>(null);
  useEffect(() => {
    const load = async () => {
      const outcome = await loadSettings();
      if (!isDone(outcome)) return;
      const { timeZone, shifts, upstream } = outcome.value;
      draft.value = { timeZone, shifts, url: upstream?.url ?? '', apiKey: '' };
    };
    void load();
    // A text that is typed stays.
    return onEvent('reset', () => draft.value === null && void load());
  }, [draft]);
  return draft;
}

/** Saves the sections of a draft that have changed. True: they were saved, or nothing has changed. */
export async function keepDraft(draft: Draft, withServer: boolean): Promise<boolean> {
  const { timeZone, url, apiKey } = draft;
  const shifts = draft.shifts.map(({ name, start }) => ({ name: name.trim(), start: withTwoDigits(start.trim()) }));
  const before = settings.value;
  if (before === null) return false;
  const isFixed = (section: 'shifts' | 'upstream') => before.fixed.includes(section);
  const areShiftsNew = JSON.stringify([timeZone, shifts]) !== JSON.stringify([before.timeZone, before.shifts]);
  const change: SettingsChange = {
    ...(areShiftsNew && !isFixed('shifts') && { shifts: { timeZone, shifts } }),
    ...(withServer && url !== '' && apiKey !== '' && !isFixed('upstream') && { upstream: { url, apiKey } }),
  };
  if (Object.keys(change).length === 0) return true;
  const outcome = await call<SettingsView>('PUT', '/settings', change);
  if (!isDone(outcome)) return false;
  settings.value = outcome.value;
  return true;
}

/** A person writes 7:30 for 07:30. */
function withTwoDigits(time: string): string {
  return /^\d:/.test(time) ? `0${time}` : time;
}
