import type { Aedes } from 'aedes';
import mqemitter from 'mqemitter';
import type { Incidents } from '../../flows/ports.ts';
import type { SubscriptionTable } from './persistence/subscription-table.ts';
import { topicFault } from './topic-filter.ts';

/** A message for whoever subscribed to it through aedes. */
export interface RoutedMessage {
  readonly topic: string;
  readonly payload: Buffer | string;
  readonly qos: 0 | 1 | 2;
  readonly retain: boolean;
}

type Emitter = ReturnType<typeof mqemitter> & { readonly _matcher: { match(topic: string): readonly unknown[] } };

/**
 * Knows whether anybody but its own device wants a topic, so that the ordinary status and its command need not pass
 * through aedes at all: that is where most of its cost lies (libraries.md, aedes).
 */
export class Router {
  readonly emitter: Emitter;
  readonly #offline: SubscriptionTable;
  readonly #incidents: Incidents;
  #aedes: Aedes | null = null;
  #generation = 0;

  constructor(offline: SubscriptionTable, incidents: Incidents) {
    this.#offline = offline;
    this.#incidents = incidents;
    this.emitter = mqemitter({ concurrency: 0, matchEmptyLevels: true }) as Emitter;
    this.#watch();
  }

  attach(aedes: Aedes): void {
    this.#aedes = aedes;
  }

  /** Changes whenever `wants` may answer differently. */
  get generation(): number {
    return this.#generation + this.#offline.generation;
  }

  wants(topic: string): boolean {
    if (topicFault(topic) !== null) return false;
    return this.emitter._matcher.match(topic).length > 0 || this.#offline.ofTopic(topic).length > 0;
  }

  publish(message: RoutedMessage): void {
    this.#aedes?.publish({ cmd: 'publish', dup: false, ...message }, (error) => {
      // A broker that closes queues it for whoever is away, and that is all there is to do.
      if (error && this.#aedes?.closed === false)
        this.#incidents.report({ kind: 'internal', subject: message.topic, detail: error.message });
    });
  }

  /** Removal takes effect one turn later, so it is counted then too. */
  #watch(): void {
    const { on, removeListener } = this.emitter;
    const changed = () => {
      this.#generation++;
    };
    this.emitter.on = (topic, notify, done) => {
      changed();
      return on.call(this.emitter, topic, notify, done);
    };
    this.emitter.removeListener = (topic, notify, done) => {
      setImmediate(changed);
      return removeListener.call(this.emitter, topic, notify, () => {
        changed();
        done?.();
      });
    };
  }
}

/** Remembers for a few topics whether anybody wants them, until a subscription changes. */
export class InterestCache {
  readonly #router: Router;
  readonly #known = new Map<string, boolean>();
  #generation = -1;

  constructor(router: Router) {
    this.#router = router;
  }

  wants(topicRoot: string, suffix: string): boolean {
    const generation = this.#router.generation;
    if (generation !== this.#generation || this.#known.size > MAX_CACHED_TOPICS) {
      this.#known.clear();
      this.#generation = generation;
    }
    const known = this.#known.get(suffix);
    if (known !== undefined) return known;
    const wanted = this.#router.wants(`${topicRoot}/${suffix}`);
    this.#known.set(suffix, wanted);
    return wanted;
  }
}

const MAX_CACHED_TOPICS = 64;
