import type { MachineId } from '../../domain/machine/machine-names.ts';
import { nearestName } from '../../domain/nearest-name.ts';
import type { DeviceRoute } from '../../flows/device/device-ports.ts';
import { levelsMatch } from './mqtt/topic-filter.ts';
import type { TopicKind } from './readers/message-feed.ts';

/** The command topics below a machine's TopicRoot, in the order in which they are sent (interface.md, MQTT). */
export const COMMAND_SUFFIXES = [
  'command',
  'command/run-enabled',
  'command/attention-needed',
  'run-enabled',
  'attention-needed',
] as const;
export const COMMAND_JSON = 0;
/** From here on the suffixes are the deprecated ones, left out when `devices.legacyCommandTopics` is false. */
export const FIRST_LEGACY_SUFFIX = 3;

/** The meaning of a topic below a TopicRoot. */
export type TopicMeaning =
  | { readonly kind: 'status' }
  | { readonly kind: 'statusField'; readonly name: string }
  | { readonly kind: 'vars' }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'presence'; readonly topic: 'online' | 'lwt' }
  | { readonly kind: 'command' }
  | { readonly kind: 'other' };

const FIXED_MEANINGS: ReadonlyMap<string, TopicMeaning> = new Map<string, TopicMeaning>([
  ['status', { kind: 'status' }],
  ['vars', { kind: 'vars' }],
  ['online', { kind: 'presence', topic: 'online' }],
  ['lwt', { kind: 'presence', topic: 'lwt' }],
  ...COMMAND_SUFFIXES.map((suffix): [string, TopicMeaning] => [suffix, { kind: 'command' }]),
]);

/** Whether a suffix is one of the interface's fixed topics: a look-up without reading its parts. */
export function isFixedSuffix(suffix: string): boolean {
  return FIXED_MEANINGS.has(suffix);
}

/** Reads the part of a topic behind `{TopicRoot}/`. */
export function meaningOf(suffix: string): TopicMeaning {
  const fixed = FIXED_MEANINGS.get(suffix);
  if (fixed !== undefined) return fixed;
  if (suffix.startsWith('status/')) return { kind: 'statusField', name: suffix.slice('status/'.length) };
  if (suffix.startsWith('vars/')) return { kind: 'variable', name: suffix.slice('vars/'.length) };
  return suffix.startsWith('command/') ? { kind: 'command' } : { kind: 'other' };
}

/** Whether a suffix may carry answers: text without wildcards that the interface does not use. */
export function isFreeSuffix(suffix: string): boolean {
  return suffix !== '' && !/[+#]/.test(suffix) && meaningOf(suffix).kind === 'other';
}

export interface TopicMatch {
  readonly route: DeviceRoute;
  readonly meaning: TopicMeaning;
}

/** Finds the machine of a topic. No TopicRoot lies inside another (MQTT-09), so the first match is the only one. */
export class TopicTable {
  readonly #byRoot = new Map<string, DeviceRoute>();
  readonly #byMachine = new Map<MachineId, DeviceRoute>();

  constructor(routes: readonly DeviceRoute[]) {
    for (const route of routes) {
      this.#byRoot.set(route.topicRoot, route);
      this.#byMachine.set(route.machineId, route);
    }
  }

  machine(machineId: string): DeviceRoute | undefined {
    return this.#byMachine.get(machineId as MachineId);
  }

  machines(): Iterable<DeviceRoute> {
    return this.#byMachine.values();
  }

  /** The treatment of a topic by readers. */
  kindOf(topic: string): TopicKind {
    const kind = this.find(topic)?.meaning.kind ?? 'other';
    if (kind === 'other' || kind === 'command') return kind;
    return 'state';
  }

  find(topic: string): TopicMatch | null {
    for (let slash = topic.indexOf('/'); slash !== -1; slash = topic.indexOf('/', slash + 1)) {
      const route = this.#byRoot.get(topic.slice(0, slash));
      if (route !== undefined) return { route, meaning: meaningOf(topic.slice(slash + 1)) };
    }
    return null;
  }
}

/** The command topics of a machine that a filter matches, and whether it may match other topics as well. */
export interface FilterReach {
  readonly commands: readonly number[];
  readonly isMore: boolean;
}

/** Gives the reach of a valid MQTT filter for the machine at `topicRoot`. */
export function reachOf(filter: string, topicRoot: string): FilterReach {
  const known = knownReach(filter, topicRoot);
  if (known !== null) return { commands: known, isMore: false };
  const wanted = filter.split('/');
  const commands = COMMAND_SUFFIXES.flatMap((suffix, topic) =>
    levelsMatch(wanted, `${topicRoot}/${suffix}`.split('/')) ? [topic] : [],
  );
  return { commands, isMore: true };
}

/** The command topics that an ordinary filter of a device names; null if it reaches beyond them. */
function knownReach(filter: string, topicRoot: string): readonly number[] | null {
  if (!filter.startsWith(`${topicRoot}/`)) return null;
  const suffix = filter.slice(topicRoot.length + 1);
  const exact = (COMMAND_SUFFIXES as readonly string[]).indexOf(suffix);
  if (exact !== -1) return [exact];
  if (suffix === 'command/#') return [0, 1, 2];
  return suffix === 'command/+' ? [1, 2] : null;
}

/**
 * The filter that a machine most likely meant by one that matches none of its commands: blanks, slashes at the ends,
 * another case, a misspelt name (D-65). Null if it is no filter of its own commands.
 */
export function meantFilter(filter: string, topicRoot: string): string | null {
  const levels = filter
    .split('/')
    .map((level) => level.trim())
    .filter((level) => level !== '');
  const rootLevels = topicRoot.split('/').length;
  if (levels.slice(0, rootLevels).join('/').toLowerCase() !== topicRoot.toLowerCase()) return null;
  const suffix = levels.slice(rootLevels).join('/').toLowerCase();
  if (reachOf(`${topicRoot}/${suffix}`, topicRoot).commands.length > 0) return `${topicRoot}/${suffix}`;
  const name = nearestName(suffix, COMMAND_SUFFIXES);
  return name === null ? null : `${topicRoot}/${name}`;
}
