import { readConfigBytes } from '../../../config/config-file.ts';
import type { Environment } from '../../../config/environment.ts';
import type { ServiceName } from './installation.ts';
import { isSystemdRunning, showService } from './system-programs.ts';

/** The settings that the unit of a service gives in its environment. It tells if systemd does not answer. */
export function serviceEnvironment(service: ServiceName, tell: (line: string) => void): Environment {
  if (!isSystemdRunning()) return {};
  const { complaint, output } = showService(service, 'Environment', 'EnvironmentFiles');
  if (complaint !== null) tell(`The settings in the unit of the service are not known: ${complaint}`);
  return settingsOf(output);
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
