import { deviceTopicRoot } from '../machine/machine-names.ts';
import { nearestName } from '../nearest-name.ts';

/** A machine with its TopicRoot. */
export interface TopicOwner {
  readonly machineId: string;
  readonly topicRoot: string;
  readonly variables?: readonly string[] | undefined;
}

/** The topic that was most likely meant by a topic that no machine has. */
export interface MeantTopic {
  readonly owner: TopicOwner;
  readonly topic: string;
}

const SUFFIXES = ['status', 'vars', 'online', 'lwt'] as const;
const COMMANDS: ReadonlySet<string> = new Set(['command', 'run-enabled', 'attention-needed']);
const MEANT_BY: ReadonlyMap<string, string> = new Map([
  ['state', 'status'],
  ['states', 'status'],
  ['data', 'status'],
  ['telemetry', 'status'],
  ['variables', 'vars'],
  ['var', 'vars'],
  ['will', 'lwt'],
  ['connected', 'online'],
]);

/** The id of a configured machine that a mistyped id most likely means; null if none is near. */
export function nearestMachineId(machineId: string, owners: readonly TopicOwner[]): string | null {
  return nearestName(
    machineId,
    owners.map((owner) => owner.machineId),
  );
}

/**
 * The nearest topic of a configured machine, which may be the same; null if none is near. The search goes through every
 * machine, so call it seldom.
 */
export function nearestTopic(topic: string, owners: readonly TopicOwner[]): MeantTopic | null {
  const levels = topic.split('/').filter((level) => level.trim() !== '');
  for (let length = levels.length; length > 0; length--) {
    const owner = nearestOwner(levels.slice(0, length).join('/'), owners);
    if (owner === null) continue;
    return { owner, topic: `${owner.topicRoot}/${nearestSuffix(levels.slice(length), owner)}` };
  }
  return null;
}

/** The topic of this machine that was most likely meant by one below another root. */
export function ownTopic(topic: string, owner: TopicOwner): MeantTopic {
  const root = deviceTopicRoot(topic);
  const levels = root === null ? [] : topic.slice(root.length + 1).split('/');
  return { owner, topic: `${owner.topicRoot}/${nearestSuffix(levels, owner)}` };
}

function nearestOwner(root: string, owners: readonly TopicOwner[]): TopicOwner | null {
  const wanted = root.toLowerCase();
  const exact = owners.find(({ topicRoot, machineId }) => isSame(topicRoot, wanted) || isSame(machineId, wanted));
  if (exact !== undefined) return exact;
  const nearest = nearestName(root, namesOf(owners));
  return owners.find(({ topicRoot, machineId }) => topicRoot === nearest || machineId === nearest) ?? null;
}

/** The lengths are compared first, because there are thousands of names. */
function isSame(name: string, wanted: string): boolean {
  return name.length === wanted.length && name.toLowerCase() === wanted;
}

function* namesOf(owners: readonly TopicOwner[]): Iterable<string> {
  for (const { topicRoot, machineId } of owners) {
    yield topicRoot;
    yield machineId;
  }
}

function nearestSuffix([first = '', ...rest]: readonly string[], { variables = [] }: TopicOwner): string {
  if (COMMANDS.has(first)) return [first, ...rest].join('/');
  const suffix = nearestName(first, SUFFIXES);
  const variable = suffix === null ? nearestName(first, variables) : null;
  if (variable !== null) return `vars/${variable}`;
  const meant = suffix ?? MEANT_BY.get(first.toLowerCase()) ?? 'status';
  if (rest.length === 0 || (meant !== 'status' && meant !== 'vars')) return meant;
  const name = rest.join('/');
  return `${meant}/${meant === 'vars' ? (nearestName(name, variables) ?? name) : name}`;
}
