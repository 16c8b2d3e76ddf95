import type { MeantTopic } from '../../domain/plant/nearest-topic.ts';
import type { LiveMachine } from './live-machine.ts';

/** The reason for which no machine has the topic, and the topic that was probably meant. */
export function unmatchedReason(topic: string, meant: MeantTopic | null): string {
  const hint = meant === null ? '' : `; did you mean ${meant.topic}?`;
  return `publishes on ${topic}, a topic that plantgate does not use${hint}`;
}

/** The reason for which a client may not publish on the topic, and the permitted topics. */
export function forbiddenReason(topic: string, own: LiveMachine | undefined): string {
  const cure =
    own === undefined ? "commands are the gateway's" : `publish below ${own.machine.topicRoot}, commands excepted`;
  return `publishes on ${topic}, which it may not: ${cure}`;
}
