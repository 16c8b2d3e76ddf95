/** The rules for TopicRoots, alone and in pairs (MQTT-09; interface.md, MQTT). */

/** A longer text is no topic root. */
export const MAX_TOPIC_ROOT_LENGTH = 256;

export const TOPIC_ROOT_RULE = `levels of a-z, A-Z, 0-9, - and _ separated by single slashes, at most ${MAX_TOPIC_ROOT_LENGTH} characters`;

/** Whether a machine may have this TopicRoot: no wildcard, no leading, trailing or doubled slash. */
export function isTopicRoot(text: string): boolean {
  return text.length <= MAX_TOPIC_ROOT_LENGTH && /^[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)*$/.test(text);
}

/** Gives every TopicRoot that this one lies inside of, and itself: `a/b/c` gives `a`, `a/b`, `a/b/c`. */
export function enclosingRoots(topicRoot: string): readonly string[] {
  const roots: string[] = [];
  for (let slash = topicRoot.indexOf('/'); slash !== -1; slash = topicRoot.indexOf('/', slash + 1)) {
    roots.push(topicRoot.slice(0, slash));
  }
  return [...roots, topicRoot];
}

/** The ends of the topics that a device publishes below its TopicRoot (interface.md, MQTT). */
const DEVICE_TOPIC = /\/(?:status(?:\/[^/]+)?|vars(?:\/[^/]+)?|online|lwt)$/;

/** The TopicRoot of a device that publishes on this topic; null where the topic is not one of a device. */
export function deviceTopicRoot(topic: string): string | null {
  const end = DEVICE_TOPIC.exec(topic)?.index;
  if (end === undefined) return null;
  const root = topic.slice(0, end);
  return isTopicRoot(root) ? root : null;
}

/** The name of one machine, as configured. Case-sensitive; letters, digits, hyphen and underscore (interface.md, Status). */
export type MachineId = string & { readonly brand: 'MachineId' };

/** A longer id is no machine id. */
export const MAX_MACHINE_ID_LENGTH = 128;

/** Gives the text as a machine id, or null if the interface forbids it (DEV-02). */
export function machineId(text: string): MachineId | null {
  return text.length <= MAX_MACHINE_ID_LENGTH && /^[A-Za-z0-9_-]+$/.test(text) ? (text as MachineId) : null;
}
