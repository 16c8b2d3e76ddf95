import { nearestName } from '../domain/nearest-name.ts';
import { type Path, pathText } from '../validation/fault-path.ts';
import type { LocatedFault } from './located-fault.ts';
import { MAX_CONFIG_BYTES } from './yaml/yaml-limits.ts';
import { readYaml } from './yaml/yaml-source.ts';

/** The process's environment, or what a test puts in its place. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting from the environment: `PLANTGATE_HTTP_PORT` for `http.port`. */
export interface Override {
  readonly variable: string;
  readonly path: Path;
  readonly value: unknown;
}

interface Setting {
  readonly path: Path;
  readonly isText: boolean;
}

const PREFIX = 'PLANTGATE_';

/**
 * Kubernetes gives each container the addresses of the Services around it in variables. Those of a Service named
 * `plantgate`, or `plantgate-http`, look like settings: `PLANTGATE_HTTP_PORT=tcp://10.0.0.7:8080`.
 */
const SERVICE_URL = /^(tcp|udp|sctp):\/\/\S+:\d+$/;
const SERVICE_VARIABLES: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [/_PORT(_\d+_(TCP|UDP|SCTP))?$/, SERVICE_URL],
  [/_PORT_\d+_(TCP|UDP|SCTP)_PROTO$/, /^(tcp|udp|sctp)$/],
  [/_PORT_\d+_(TCP|UDP|SCTP)_PORT$|_SERVICE_PORT(_\w+)?$/, /^\d+$/],
  [/_PORT_\d+_(TCP|UDP|SCTP)_ADDR$|_SERVICE_HOST$/, /^[\da-fA-F:.]+$/],
];

/**
 * Reads every `PLANTGATE_…` variable. A key that takes text gets the unchanged variable, any other its value as YAML,
 * so that lists and sections can be given as `[a, b]` and `{ key: value }`. The more special path comes later.
 * `ignored` are those that Kubernetes made.
 */
export function readEnvironment(
  environment: Environment,
  schema: object,
): {
  readonly overrides: readonly Override[];
  readonly ignored: readonly string[];
  readonly faults: readonly LocatedFault[];
} {
  const settings = new Map(settingsOf(schema, []).map((setting) => [variableName(setting.path), setting]));
  const overrides: Override[] = [];
  const ignored: string[] = [];
  const faults: LocatedFault[] = [];
  for (const [variable, text] of Object.entries(environment)) {
    if (text === undefined || !variable.startsWith(PREFIX)) continue;
    if (isOfService(variable, text)) {
      ignored.push(variable);
      continue;
    }
    const setting = settings.get(variable);
    if (setting === undefined) {
      faults.push(unknownVariable(variable, [...settings.keys()]));
      continue;
    }
    const { path, isText } = setting;
    const reading = isText ? ({ ok: true, value: text } as const) : readValue(variable, text);
    if (reading.ok) overrides.push({ variable, path, value: reading.value });
    else faults.push(...reading.faults.map((fault) => ({ ...fault, path: pathText(path), line: null, column: null })));
  }
  return { overrides: overrides.sort((one, other) => one.path.length - other.path.length), ignored, faults };
}

function isOfService(variable: string, text: string): boolean {
  return SERVICE_VARIABLES.some(([name, value]) => name.test(variable) && value.test(text));
}

/** The variable that sets a key: `mqtt.maxPacketBytes` by `PLANTGATE_MQTT_MAX_PACKET_BYTES`. */
export function variableName(path: Path): string {
  const words = path.map((key) => String(key).replace(/[A-Z]/g, (capital) => `_${capital}`));
  return `${PREFIX}${words.join('_').toUpperCase()}`;
}

function readValue(variable: string, text: string) {
  return readYaml(text, { file: variable, maxBytes: MAX_CONFIG_BYTES });
}

function unknownVariable(variable: string, known: readonly string[]): LocatedFault {
  const nearest = nearestName(variable, known);
  const hint = nearest === null ? '' : `; did you mean ${nearest}?`;
  const expected = `a variable that names a setting${hint}`;
  return { file: 'environment', line: null, column: null, path: variable, found: 'an unknown variable', expected };
}

function settingsOf(schema: object, path: Path): readonly Setting[] {
  const properties = 'properties' in schema ? Object.entries(schema.properties ?? {}) : [];
  return properties.flatMap(([key, property]) => {
    const own = { path: [...path, key], isText: property.type === 'string' };
    return [own, ...settingsOf(property, own.path)];
  });
}
