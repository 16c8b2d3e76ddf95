import { type Signal, signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SettingsChange, SettingsView, ShiftSettings } from '../../../flows/settings/settings-ports.ts';
import { call, type Outcome } from '../../api/call.ts';
import { onEvent } from '../../api/live.ts';
import { isDone } from '../../app/tell-outcome.ts';
import { isSameContent } from '../../app/unsaved.ts';

/** The settings as they are typed. */
export interface Draft extends ShiftSettings {
  readonly url: string;
  readonly apiKey: string;
}

/** The fields by the names that the gateway's sentences give them. */
export const SERVER_FIELDS = ['upstream.url', 'upstream.apiKey'] as const;
const SHIFT_PARTS = ['name', 'start', 'days', 'breaks'] as const;
export const shiftField = (place: number, part: (typeof SHIFT_PARTS)[number]) => `shifts.shifts[${place}].${part}`;

export function fieldsOf({ shifts }: Draft): readonly string[] {
  const ofShifts = shifts.flatMap((_, place) => SHIFT_PARTS.map((part) => shiftField(place, part)));
  return ['shifts.timeZone', 'shifts.daysOff', ...ofShifts, ...SERVER_FIELDS];
}

/** Whether shifts and time zone are defaults: neither the file nor a person has set them. */
export function isZoneOpen({ fixed, chosen }: SettingsView): boolean {
  return !fixed.includes('shifts') && !chosen.includes('shifts');
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
      // An earlier load may have been answered, and a person may type by now.
      if (!isDone(outcome) || draft.value !== null) return;
      const { shifts, daysOff = [], upstream } = outcome.value;
      const timeZone = (isZoneOpen(outcome.value) && browserZone()) || outcome.value.timeZone;
      draft.value = { timeZone, shifts, daysOff, url: upstream?.url ?? '', apiKey: '' };
    };
    void load();
    // A text that is typed stays.
    return onEvent('reset', () => draft.value === null && void load());
  }, [draft]);
  return draft;
}

/** The zone of the person who sets the gateway up; null for UTC and its like, which a browser without a zone has. */
function browserZone(): string | null {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return Intl.supportedValuesOf('timeZone').includes(timeZone) ? timeZone : null;
}

/** What the typed address and key mean for the central server. `keyMissing`: its key is never shown, nor sent elsewhere. */
export type ServerChange = 'none' | 'set' | 'remove' | 'keyMissing';

export function serverChange({ url, apiKey }: Draft, before: SettingsView | null): ServerChange {
  if (before === null || before.fixed.includes('upstream')) return 'none';
  if (apiKey !== '') return 'set';
  if (url === (before.upstream?.url ?? '')) return 'none';
  return url === '' ? 'remove' : 'keyMissing';
}

/** Saves the sections of a draft that have changed. Null: nothing has changed. */
export async function keepDraft(draft: Draft, withServer: boolean): Promise<Outcome<SettingsView> | null> {
  const { timeZone, daysOff = [], url, apiKey } = draft;
  const shifts = draft.shifts.map((shift) => ({
    ...shift,
    name: shift.name.trim(),
    start: withTwoDigits(shift.start.trim()),
  }));
  const before = settings.value;
  if (before === null) return null;
  const areShiftsNew = !isSameContent(
    [timeZone, shifts, daysOff],
    [before.timeZone, before.shifts, before.daysOff ?? []],
  );
  const server = withServer ? serverChange(draft, before) : 'none';
  const change: SettingsChange = {
    ...(areShiftsNew &&
      !before.fixed.includes('shifts') && { shifts: { timeZone, shifts, ...(daysOff.length > 0 && { daysOff }) } }),
    ...(server === 'set' && { upstream: { url, apiKey } }),
    ...(server === 'remove' && { upstream: null }),
  };
  if (Object.keys(change).length === 0) return null;
  const outcome = await call<SettingsView>('PUT', '/settings', change);
  if (outcome.kind === 'done') settings.value = outcome.value;
  return outcome;
}

/** A person writes 7:30 for 07:30. */
function withTwoDigits(time: string): string {
  return /^\d:/.test(time) ? `0${time}` : time;
}
