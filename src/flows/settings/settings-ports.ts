import type { Weekday } from '../../domain/shift/work-plan.ts';

/** Settings chosen at the page instead of in the configuration file. A section that is absent was not chosen. */
export interface ChosenSettings {
  readonly shifts?: ShiftSettings;
  readonly upstream?: ServerAddress;
}

export interface ShiftSettings {
  readonly timeZone: string;
  readonly shifts: readonly ShiftSetting[];
  /** Dates on which nothing is planned (D-77). */
  readonly daysOff?: readonly { readonly date: string; readonly name: string }[] | undefined;
}

export interface ShiftSetting {
  readonly name: string;
  readonly start: string;
  /** Absent: every day. */
  readonly days?: readonly Weekday[] | undefined;
  readonly breaks?: readonly { readonly start: string; readonly minutes: number }[] | undefined;
}

/** A central server and the key that it gave. */
export interface ServerAddress {
  readonly url: string;
  readonly apiKey: string;
}

export const SETTINGS_SECTIONS = ['shifts', 'upstream'] as const satisfies readonly (keyof ChosenSettings)[];
export type SettingsSection = (typeof SETTINGS_SECTIONS)[number];

/** The sections that are present change; null removes the central server. */
export interface SettingsChange {
  readonly shifts?: ShiftSettings;
  readonly upstream?: ServerAddress | null;
}

export interface SettingsView extends ShiftSettings {
  /** Its key is never shown. Null without a central server. */
  readonly upstream: { readonly url: string } | null;
  /** Sections that the file or the environment sets; they are changed there. */
  readonly fixed: readonly SettingsSection[];
  /** Sections that were chosen at the page. A section that is neither fixed nor chosen has its default. */
  readonly chosen: readonly SettingsSection[];
  /** Chosen settings count from the next start on. */
  readonly restartNeeded: boolean;
  readonly restart: Restart;
}

/** How a person starts this gateway again. */
export interface Restart {
  /** `terminal`: by Ctrl-C there; `other`: as it was started, for example by its container. */
  readonly by: 'service' | 'terminal' | 'other';
  /** The command of a service; null otherwise. */
  readonly command: string | null;
}

/** The outcome of a try to reach a central server. The try changes nothing there. */
export interface ServerTrial {
  readonly outcome: 'answers' | 'keyRefused' | 'wrongCertificate' | 'otherVersion' | 'unreachable';
  readonly answeredInMs: number;
  /** Null if it did not tell. */
  readonly speaks: 'batch' | 'interface' | null;
  /** Null if it answers. */
  readonly detail: string | null;
  /** The code of a fault of network or certificate, such as ECONNREFUSED; null without one. */
  readonly code: string | null;
}
