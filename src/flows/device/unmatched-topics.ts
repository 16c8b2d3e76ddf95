import { BoundedCache } from '../../domain/bounded-cache.ts';
import { type MeantTopic, nearestTopic, type TopicOwner } from '../../domain/plant/nearest-topic.ts';
import type { Clock } from '../ports.ts';
import type { LiveMachine } from './live-machine.ts';
import { RateGate } from './rate-gate.ts';

/** A search for the nearest topic takes about a millisecond among a thousand machines. */
const MAX_SEARCHES_PER_SECOND = 10;
/** Topics whose likely meaning is remembered. Beyond it the oldest is searched again. */
const MAX_REMEMBERED_TOPICS = 256;

/** Finds the topics that were probably meant by topics that no machine has, without ever delaying the machines. */
export class UnmatchedTopics {
  readonly #clock: Clock;
  readonly #owners: () => readonly TopicOwner[];
  readonly #gate = new RateGate(MAX_SEARCHES_PER_SECOND);
  readonly #known = new BoundedCache<string, MeantTopic | null>(MAX_REMEMBERED_TOPICS);
  #searchedAmong: readonly TopicOwner[] = [];

  /** `owners` gives another list when the plant has changed. */
  constructor(clock: Clock, owners: () => readonly TopicOwner[]) {
    this.#clock = clock;
    this.#owners = owners;
  }

  /** Null if no topic is near, or if too many searches are made. */
  meant(topic: string): MeantTopic | null {
    const owners = this.#owners();
    if (owners !== this.#searchedAmong) this.#known.clear();
    this.#searchedAmong = owners;
    const known = this.#known.get(topic);
    if (known !== undefined) return known;
    if (!this.#gate.pass(this.#clock.now().monotonicMs)) return null;
    const meant = nearestTopic(topic, owners);
    this.#known.set(topic, meant);
    return meant;
  }
}

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
