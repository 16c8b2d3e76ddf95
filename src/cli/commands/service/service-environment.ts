import { spawnSync } from 'node:child_process';
import { readConfigBytes } from '../../../config/config-file.ts';
import type { Environment } from '../../../config/environment.ts';
import { isSystemdRunning } from './system-programs.ts';

const SHOW = ['show', 'plantgate.service', '--property=Environment,EnvironmentFiles'] as const;
const ASK_TIMEOUT_MS = 5_000;

/** The settings that the unit of the service gives in its environment; none if systemd does not answer. */
export function serviceEnvironment(): Environment {
  if (!isSystemdRunning()) return {};
  return settingsOf(spawnSync('systemctl', SHOW, { encoding: 'utf8', timeout: ASK_TIMEOUT_MS }).stdout ?? '');
}

/** The settings in the properties that `systemctl show` gives. As in systemd, a later one wins, and files come last. */
export function settingsOf(properties: string): Environment {
  const [, own = ''] = /^Environment=(.*)$/m.exec(properties) ?? [];
  const words = own.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [];
  const files = [...properties.matchAll(/^EnvironmentFiles=(.+) \(ignore_errors=\w+\)$/gm)].map(
    ([, file = '']) => file,
  );
  const lines = files.flatMap((file) =>
    Buffer.from(readConfigBytes(file) ?? [])
      .toString()
      .split('\n'),
  );
  return Object.fromEntries([
    ...assignments(words.map(unquoted)),
    ...assignments(lines).map(([name, value]) => [name, unquoted(value)]),
  ]);
}

function assignments(texts: readonly string[]): readonly (readonly [string, string])[] {
  return texts.flatMap((text) => {
    const [, name, value] = /^\s*(PLANTGATE_\w+)\s*=\s*(.*?)\s*$/.exec(text) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value]];
  });
}

/** A text as a shell reads it. */
function unquoted(text: string): string {
  const [, single, double] = /^(?:'(.*)'|"(.*)")$/.exec(text) ?? [];
  return single ?? double?.replace(/\\(["\\`$])/g, '$1') ?? text.replace(/\\(.)/g, '$1');
}
