import { dirname, join, resolve } from 'node:path';
import type { Fault } from '../domain/error.ts';
import { type Path, parsePath } from '../validation/fault-path.ts';
import { schemaCheck } from '../validation/schema-check.ts';
import type { SchemaFault } from '../validation/schema-fault.ts';
import {
  CHOSEN_SECTIONS,
  type ChosenFile,
  readChosenSettings,
  type SectionSources,
  sectionSources,
} from './chosen-settings.ts';
import { readGatewayName, withComputerDefaults } from './computer-defaults.ts';
import { readConfigBytes, unreadable } from './config-file.ts';
import { checkConfig } from './config-rules.ts';
import { CONFIG_SCHEMA, type Config } from './config-schema.ts';
import { type Environment, type Override, readEnvironment } from './environment.ts';
import { ConfigError, type LocatedFault } from './located-fault.ts';
import { deepFreeze, valueAt, withValueAt } from './plant-file/value-tree.ts';
import { MAX_CONFIG_BYTES } from './yaml/yaml-limits.ts';
import { readYaml, type YamlSource } from './yaml/yaml-source.ts';

export interface ConfigRequest {
  /**
   * The file of `--config`, which must exist. Without it `./plantgate.yaml`, then `/etc/plantgate/plantgate.yaml`, then
   * defaults.
   */
  readonly file?: string;
  /** Leaves the settings chosen at the page unread, and the rules that use them, for a command that replaces them. */
  readonly withoutChosen?: boolean;
  readonly environment: Environment;
  /** For a command that reads the file of a service: the service's variables, behind those of `environment`. */
  readonly ofService?: ((file: string) => Environment) | undefined;
  readonly cwd: string;
  readonly hostName: string;
  readonly timeZone: string;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly sources: {
    /** The file that was read; null for built-in defaults. */
    readonly file: string | null;
    /** The environment variables that were used. */
    readonly variables: readonly string[];
    /** Variables that Kubernetes made for a Service with the gateway's name. They set nothing. */
    readonly ignoredVariables: readonly string[];
  };
  /** The source of `gatewayId`: file or environment, the name kept in the data directory, or the present host name. */
  readonly gatewayName: 'given' | 'kept' | 'hostName';
  /** Whether file or environment say something of `mqtt`. A central server opens no MQTT otherwise (D-110). */
  readonly isMqttGiven: boolean;
  /** Sources of the sections that can be chosen at the page; a section in neither list has its defaults. */
  readonly sections: SectionSources;
  /** Gives the place of a fault that is found later on. */
  readonly locate: (faults: readonly Fault[]) => readonly LocatedFault[];
}

const checkShape = schemaCheck(CONFIG_SCHEMA, 'file', Number.POSITIVE_INFINITY);

const SYSTEM_CONFIG_FILE = '/etc/plantgate/plantgate.yaml';
const LOCAL_CONFIG_FILE = 'plantgate.yaml';

/** Paths in the file are relative to its directory, paths in the environment to the working directory. */
const FILE_PATHS: readonly Path[] = [
  ['dataDir'],
  ['plant'],
  ['http', 'tls', 'cert'],
  ['http', 'tls', 'key'],
  ['mqtt', 'tls', 'cert'],
  ['mqtt', 'tls', 'key'],
  ['mqtt', 'tls', 'ca'],
  ['storage', 'backups', 'directory'],
];

/**
 * Gives the frozen configuration. The environment wins over the file, the file over the settings chosen at the page,
 * and these over the defaults (contract.md, Configuration). Throws ConfigError with every fault. Reads at most two
 * small files, synchronously.
 */
export function loadConfig(request: ConfigRequest): LoadedConfig {
  const { cwd, hostName, timeZone, withoutChosen = false } = request;
  const source = readConfigFile(request);
  const baseDir = source.file === null ? cwd : dirname(source.file);
  const standardDir = join(baseDir, 'data');
  const environment = readEnvironment(environmentFor(request, source.file), CONFIG_SCHEMA);
  const { overrides, faults: environmentFaults } = environment;
  const inFile = withAbsolutePaths(source.yaml?.value ?? {}, baseDir);
  const said = overrides.reduce((tree, override) => withValueAt(tree, override.path, absolute(override, cwd)), inFile);
  const chosen = withoutChosen ? null : readChosenSettings(dataDirOf(said, standardDir), said);
  const sections = sectionSources(said, chosen);
  const keptName = valueAt(said, ['gatewayId']) === undefined ? readGatewayName(dataDirOf(said, standardDir)) : null;
  const defaults = { gatewayId: keptName ?? hostName, dataDir: standardDir, timeZone };
  const merged = withComputerDefaults(withChosen(said, chosen), defaults);
  const shape = checkShape(structuredClone(merged));
  const locate = (fault: Fault, segments: Path, part: 'key' | 'value'): LocatedFault => {
    const { path, found, expected } = fault;
    return { ...placeOf(segments, part, sourceOf(segments, source, chosen), overrides), path, found, expected };
  };
  const locateAll = (found: readonly Fault[]) => found.map((fault) => locate(fault, parsePath(fault.path), 'value'));
  const faults = shape.ok
    ? locateAll(checkConfig(shape.value, new Set(withoutChosen ? CHOSEN_SECTIONS : [])))
    : [
        ...shape.faults.map((fault) => locate(fault, fault.segments, fault.part)),
        ...locateAll(faultsBeside(shape.faults, merged)),
      ];
  if (!shape.ok || faults.length > 0 || environmentFaults.length > 0) {
    throw new ConfigError([
      ...faults.toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0)),
      ...environmentFaults,
    ]);
  }
  const variables = overrides.map(({ variable }) => variable);
  const sources = { file: source.file, variables, ignoredVariables: environment.ignored };
  const gatewayName = valueAt(said, ['gatewayId']) !== undefined ? 'given' : keptName === null ? 'hostName' : 'kept';
  const isMqttGiven = valueAt(said, ['mqtt']) !== undefined;
  return { config: deepFreeze(shape.value), sources, gatewayName, isMqttGiven, sections, locate: locateAll };
}

function environmentFor({ environment, ofService }: ConfigRequest, file: string | null): Environment {
  return ofService === undefined || file === null ? environment : { ...ofService(file), ...environment };
}

function dataDirOf(tree: unknown, standardDir: string): string {
  const dataDir = valueAt(tree, ['dataDir']);
  return typeof dataDir === 'string' && dataDir !== '' ? dataDir : standardDir;
}

function withChosen(tree: unknown, chosen: ChosenFile | null): unknown {
  const sections = Object.entries(chosen?.sections ?? {});
  return sections.reduce((changed, [section, value]) => withValueAt(changed, [section], value), tree);
}

/** The file of a section. */
function sourceOf([section]: Path, source: ConfigSource, chosen: ChosenFile | null): ConfigSource {
  return chosen !== null && section !== undefined && section in chosen.sections ? chosen : source;
}

/** Loads the configuration for a caller that can go on without one; null if it has faults. */
export function loadedOrNull(request: ConfigRequest): LoadedConfig | null {
  try {
    return loadConfig(request);
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}

/** The faults of the other sections, which are also judged if one section is malformed. */
function faultsBeside(shapeFaults: readonly SchemaFault[], merged: unknown): readonly Fault[] {
  if (typeof merged !== 'object' || merged === null) return [];
  const unsound = new Set(shapeFaults.map(({ segments: [section] }) => section));
  const sound = Object.fromEntries(Object.entries(merged).filter(([section]) => !unsound.has(section)));
  const rest = checkShape(sound);
  return rest.ok ? checkConfig(rest.value, unsound) : [];
}

interface ConfigSource {
  readonly file: string | null;
  readonly yaml: YamlSource | null;
}

function readConfigFile({ file, cwd }: ConfigRequest): ConfigSource {
  const candidates = file === undefined ? [join(cwd, LOCAL_CONFIG_FILE), SYSTEM_CONFIG_FILE] : [resolve(cwd, file)];
  for (const candidate of candidates) {
    const bytes = readConfigBytes(candidate);
    if (bytes === null) continue;
    const yaml = readYaml(bytes, { file: candidate, maxBytes: MAX_CONFIG_BYTES });
    if (!yaml.ok) throw new ConfigError(yaml.faults);
    return { file: candidate, yaml };
  }
  if (file === undefined) return { file: null, yaml: null };
  throw unreadable(resolve(cwd, file), 'no such file');
}

function withAbsolutePaths(tree: unknown, baseDir: string): unknown {
  return FILE_PATHS.reduce((changed: unknown, path) => {
    const value = valueAt(changed, path);
    const isPath = typeof value === 'string' && value !== '';
    return isPath ? withValueAt(changed, path, resolve(baseDir, value)) : changed;
  }, tree);
}

function absolute({ path, value }: Override, cwd: string): unknown {
  return valueAt(withAbsolutePaths(withValueAt({}, path, value), cwd), path);
}

/** The place of a fault: the variable that set the value or made its section, else the file. */
function placeOf(
  segments: Path,
  part: 'key' | 'value',
  { file, yaml }: ConfigSource,
  overrides: readonly Override[],
): Pick<LocatedFault, 'file' | 'line' | 'column'> {
  const section = segments.slice(0, -1);
  const isInFile = yaml !== null && valueAt(yaml.value, section) !== undefined;
  const variable =
    overrides.findLast(({ path }) => startsWith(segments, path)) ??
    (isInFile ? undefined : overrides.find(({ path }) => section.length > 0 && startsWith(path, section)));
  if (variable !== undefined) return { file: variable.variable, line: null, column: null };
  if (yaml === null || file === null) return { file: 'built-in defaults', line: null, column: null };
  return { file, ...yaml.locate(segments, part) };
}

function startsWith(path: Path, start: Path): boolean {
  return start.every((segment, place) => path[place] === segment);
}
