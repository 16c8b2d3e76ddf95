import { LIMITS } from './limits.ts';

/** Whether an MQTT filter takes a topic (MQTT 3.1.1, 4.7). Wildcards at the front take no `$` topics (MQTT-4.7.2-1). */
export function topicMatches(filter: string, topic: string): boolean {
  const wanted = filter.split('/');
  const levels = topic.split('/');
  if (topic.startsWith('$') && /^[+#]/.test(filter)) return false;
  for (const [index, level] of wanted.entries()) {
    if (level === '#') return true;
    if (index >= levels.length || (level !== '+' && level !== levels[index])) return false;
  }
  return wanted.length === levels.length;
}

/** Says what is wrong with a topic or filter as text, or null. Ill-formed UTF-8 was decoded to U+FFFD. */
export function topicFault(topic: string): string | null {
  if (topic.length === 0) return 'is empty';
  if (Buffer.byteLength(topic) > LIMITS.topicLength) return `is longer than ${LIMITS.topicLength} bytes`;
  if (topic.includes('\u0000')) return 'holds U+0000';
  if (topic.includes('\ufffd')) return 'is not well-formed UTF-8';
  return levelsOf(topic) > LIMITS.topicLevels ? `has more than ${LIMITS.topicLevels} levels` : null;
}

function levelsOf(topic: string): number {
  let levels = 1;
  for (let slash = topic.indexOf('/'); slash !== -1; slash = topic.indexOf('/', slash + 1)) levels++;
  return levels;
}

/** Says what is wrong with a filter, or null (MQTT-4.7.1-2, MQTT-4.7.1-3). */
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
