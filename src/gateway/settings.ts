import * as Type from 'typebox';
import { writeOwnerOnly } from '../adapters/system/owner-only-file.ts';
import { type SectionSources, settingsFileOf } from '../config/chosen-settings.ts';
import { checkConfig } from '../config/config-rules.ts';
import { CONFIG_SCHEMA, type Config } from '../config/config-schema.ts';
import type { Fault } from '../domain/error.ts';
import { ChangeSettings } from '../flows/settings/change-settings.ts';
import type { ChosenSettings, Restart } from '../flows/settings/settings-ports.ts';
import { schemaCheck } from '../validation/schema-check.ts';
import type { Base } from './gateway-parts.ts';

/** A person waits for the answer while typing. */
const TRIAL_TIMEOUT_MS = 5_000;

/** `plantgate central` would not start with a central server of its own. */
const OWN_SERVER: Fault = {
  path: 'upstream',
  found: 'a central server',
  expected: 'nothing: this is a central server itself',
};

/** Puts together the settings that are chosen at the page. */
export function openSettings(
  { config, clock }: Pick<Base, 'config' | 'clock'>,
  sections: SectionSources,
  { restart, isCentral }: { readonly restart: Restart; readonly isCentral: boolean },
): ChangeSettings {
  const { shifts, upstream = null } = config;
  const file = settingsFileOf(config.dataDir);
  const { given } = sections;
  let judge: ((chosen: ChosenSettings) => readonly Fault[]) | undefined;
  return new ChangeSettings({
    running: { shifts, upstream },
    fixed: given,
    chosen: chosenIn(config, sections),
    clock,
    restart,
    judge: (settings) => {
      if (isCentral && settings.upstream !== undefined) return [OWN_SERVER];
      judge ??= judgeOf(config, given);
      return judge(settings);
    },
    keep: (settings) => writeOwnerOnly(file, `${JSON.stringify(settings, null, 2)}\n`),
    connect: async (server) => {
      // Loading it costs each start a tenth of a second.
      const { HttpCentralServer } = await import('../adapters/central/http-central-server.ts');
      return new HttpCentralServer({ ...server, timeoutMs: TRIAL_TIMEOUT_MS });
    },
  });
}

function chosenIn({ shifts, upstream }: Config, { chosen }: SectionSources): ChosenSettings {
  const server = chosen.includes('upstream') ? upstream : undefined;
  return {
    ...(chosen.includes('shifts') && { shifts }),
    ...(server && { upstream: { url: server.url, apiKey: server.apiKey } }),
  };
}

/**
 * Judges settings like the next start: by the shape of each section, and together with the rest of the configuration.
 */
function judgeOf(config: Config, given: SectionSources['given']): (chosen: ChosenSettings) => readonly Fault[] {
  const { timeZone } = config.shifts;
  const { shifts, upstream } = CONFIG_SCHEMA.properties;
  const check = schemaCheck(Type.Object({ shifts, upstream }, { additionalProperties: false }), 'file');
  const { upstream: before, ...others } = config;
  const rest = given.includes('upstream') ? { ...others, ...(before && { upstream: before }) } : others;
  return (chosen) => {
    const shape = check(structuredClone({ ...chosen, shifts: { timeZone, ...chosen.shifts } }));
    return shape.ok ? checkConfig({ ...rest, ...(shape.value as ChosenSections) }) : shape.faults;
  };
}

type ChosenSections = Pick<Config, 'shifts'> & Partial<Pick<Config, 'upstream'>>;
