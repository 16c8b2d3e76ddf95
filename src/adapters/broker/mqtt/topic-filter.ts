import { LIMITS } from '../limits.ts';

/** Whether an MQTT filter matches a topic (MQTT 3.1.1, 4.7). */
export function topicMatches(filter: string, topic: string): boolean {
  return levelsMatch(filter.split('/'), topic.split('/'));
}

/** Whether a filter matches a topic, both split into their levels. */
export function levelsMatch(wanted: readonly string[], levels: readonly string[]): boolean {
  const [first] = wanted;
  // Wildcards at the front do not match topics that start with $ (MQTT-4.7.2-1).
  if ((first === '#' || first === '+') && levels[0]?.startsWith('$') === true) return false;
  for (let index = 0; index < wanted.length; index++) {
    const level = wanted[index];
    if (level === '#') return true;
    if (index >= levels.length || (level !== '+' && level !== levels[index])) return false;
  }
  return wanted.length === levels.length;
}

/** Whether every topic that the filter `inner` matches is matched by `outer` as well, both split into their levels. */
export function filterCovers(outer: readonly string[], inner: readonly string[]): boolean {
  const [first] = outer;
  if ((first === '#' || first === '+') && inner[0]?.startsWith('$') === true) return false;
  for (let index = 0; index < outer.length; index++) {
    const level = outer[index];
    if (level === '#') return true;
    if (index >= inner.length || inner[index] === '#') return false;
    if (level !== '+' && level !== inner[index]) return false;
  }
  return outer.length === inner.length;
}

/** Gives the rule of MQTT that a topic or filter breaks, or null. Ill-formed UTF-8 was decoded to U+FFFD. */
export function topicFault(topic: string): string | null {
  if (topic.length === 0) return 'is empty';
  if (topic.includes('\u0000')) return 'holds U+0000';
  return topic.includes('\ufffd') ? 'is not well-formed UTF-8' : null;
}

/** Gives the limit of this gateway that a topic or filter exceeds, or null. */
export function topicLimit(topic: string): string | null {
  if (Buffer.byteLength(topic) > LIMITS.topicBytes) return `is longer than ${LIMITS.topicBytes} bytes`;
  return levelsOf(topic) > LIMITS.topicLevels ? `has more than ${LIMITS.topicLevels} levels` : null;
}

function levelsOf(topic: string): number {
  let levels = 1;
  for (let slash = topic.indexOf('/'); slash !== -1; slash = topic.indexOf('/', slash + 1)) levels++;
  return levels;
}

/** Gives the rule of MQTT that a filter breaks, or null (MQTT-4.7.1-2, MQTT-4.7.1-3). */
export function filterFault(filter: string): string | null {
  const fault = topicFault(filter);
  if (fault !== null) return fault;
  const levels = filter.split('/');
  const misplaced = levels.some(
    (level, index) =>
      (level.includes('#') && (level !== '#' || index !== levels.length - 1)) || (level.includes('+') && level !== '+'),
  );
  return misplaced ? 'has a wildcard that does not stand alone in its level' : null;
}
