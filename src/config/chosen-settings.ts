import { join } from 'node:path';
import { errorCode } from '../domain/error-code.ts';
import { isJsonObject } from '../domain/json/json.ts';
import { unreadable } from './config-file.ts';
import { ConfigError } from './located-fault.ts';
import { readFileBounded } from './read-file.ts';
import { MAX_CONFIG_BYTES } from './yaml/yaml-limits.ts';
import { readYaml, type YamlSource } from './yaml/yaml-source.ts';

/** The file of the settings chosen at the page. */
export function settingsFileOf(dataDir: string): string {
  return join(dataDir, 'settings.json');
}

/** Sections that can be chosen at the page. */
export const CHOSEN_SECTIONS = ['shifts', 'upstream'] as const;

export type ChosenSection = (typeof CHOSEN_SECTIONS)[number];

export interface ChosenFile {
  readonly file: string;
  readonly yaml: YamlSource;
  readonly sections: Readonly<Partial<Record<ChosenSection, unknown>>>;
}

/**
 * The sections of the page's own file that neither the configuration file nor the environment has; null if there are
 * none.
 */
export function readChosenSettings(dataDir: string, given: unknown): ChosenFile | null {
  const file = settingsFileOf(dataDir);
  const bytes = readUnlessForbidden(file, MAX_CONFIG_BYTES);
  if (bytes === null) return null;
  const yaml = readYaml(bytes, { file, maxBytes: MAX_CONFIG_BYTES });
  if (!yaml.ok) throw new ConfigError(yaml.faults);
  const chosen = isJsonObject(yaml.value) ? yaml.value : {};
  const free = CHOSEN_SECTIONS.filter((section) => section in chosen && !hasSection(given, section));
  return { file, yaml, sections: Object.fromEntries(free.map((section) => [section, chosen[section]])) };
}

/**
 * The source of each section: `given` by the configuration file or the environment, and then fixed at the page, or
 * `chosen` at the page.
 */
export interface SectionSources {
  readonly given: readonly ChosenSection[];
  readonly chosen: readonly ChosenSection[];
}

export function sectionSources(given: unknown, chosen: ChosenFile | null): SectionSources {
  return {
    given: CHOSEN_SECTIONS.filter((section) => hasSection(given, section)),
    chosen: CHOSEN_SECTIONS.filter((section) => section in (chosen?.sections ?? {})),
  };
}

function hasSection(given: unknown, section: ChosenSection): boolean {
  return isJsonObject(given) && given[section] !== undefined;
}

/**
 * Only the gateway's user may read the data directory, so another user checks the configuration without its files.
 * A data directory that is a file is refused later, when the store opens it.
 */
export function readUnlessForbidden(file: string, maxBytes: number): Uint8Array | null {
  try {
    return readFileBounded(file, maxBytes);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EACCES' || code === 'ENOTDIR') return null;
    throw unreadable(file, code ?? String(error));
  }
}
