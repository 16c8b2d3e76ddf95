import type { SubscriptionOptions } from '../mqtt/subscribe-packet.ts';
import { levelsMatch } from '../mqtt/topic-filter.ts';

export type Qos = 0 | 1 | 2;

interface Wildcard {
  readonly filter: string;
  readonly levels: readonly string[];
  readonly options: SubscriptionOptions;
}

/** The options of all subscriptions that match a message, taken together. */
export interface Match {
  readonly qos: Qos;
  readonly retainAsPublished: boolean;
  readonly identifiers: readonly number[];
}

const PLAIN: Readonly<Record<Qos, Match>> = {
  0: { qos: 0, retainAsPublished: false, identifiers: [] },
  1: { qos: 1, retainAsPublished: false, identifiers: [] },
  2: { qos: 2, retainAsPublished: false, identifiers: [] },
};

/** The subscriptions of one reader. If several match a topic, the highest QoS counts (MQTT-3.3.5-1). */
export class ReaderFilters {
  readonly #exact = new Map<string, SubscriptionOptions>();
  /** The highest QoS first, so that the first match counts. */
  #wildcards: readonly Wildcard[] = [];
  /** Whether a subscription has an option of MQTT 5: then every match counts. */
  #hasOptions = false;

  get size(): number {
    return this.#exact.size + this.#wildcards.length;
  }

  /** Whether messages have to wait for the reader while it is away: it has a filter with QoS 1 or 2. */
  get areKept(): boolean {
    return (this.#wildcards[0]?.options.qos ?? 0) > 0 || [...this.#exact.values()].some(({ qos }) => qos > 0);
  }

  /** A filter that the reader has already gets the new options (MQTT-3.8.4-3). */
  set(filter: string, options: SubscriptionOptions): void {
    if (!/[+#]/.test(filter)) {
      this.#exact.set(filter, options);
    } else {
      const others = this.#wildcards.filter((known) => known.filter !== filter);
      this.#wildcards = [...others, { filter, levels: filter.split('/'), options }].sort(
        (a, b) => b.options.qos - a.options.qos,
      );
    }
    this.#noteOptions();
  }

  delete(filter: string): void {
    this.#exact.delete(filter);
    this.#wildcards = this.#wildcards.filter((known) => known.filter !== filter);
    this.#noteOptions();
  }

  get(filter: string): SubscriptionOptions | undefined {
    return this.#exact.get(filter) ?? this.#wildcards.find((known) => known.filter === filter)?.options;
  }

  entries(): readonly (readonly [string, SubscriptionOptions])[] {
    return [...this.#exact, ...this.#wildcards.map(({ filter, options }) => [filter, options] as const)];
  }

  /** Null if no subscription wants the topic. `levels` are those of `topic`; `isOwn`: the reader published it itself. */
  match(topic: string, levels: readonly string[], isOwn: boolean): Match | null {
    if (this.#hasOptions) return this.#matchAll(topic, levels, isOwn);
    const exact = this.#exact.get(topic);
    for (const { levels: wanted, options } of this.#wildcards) {
      if (exact !== undefined && options.qos <= exact.qos) break;
      if (levelsMatch(wanted, levels)) return PLAIN[options.qos];
    }
    return exact === undefined ? null : PLAIN[exact.qos];
  }

  #matchAll(topic: string, levels: readonly string[], isOwn: boolean): Match | null {
    const exact = this.#exact.get(topic);
    const matching = this.#wildcards.filter((wildcard) => levelsMatch(wildcard.levels, levels));
    const all = [...(exact === undefined ? [] : [exact]), ...matching.map(({ options }) => options)];
    const counting = all.filter(({ noLocal }) => !(noLocal && isOwn));
    if (counting.length === 0) return null;
    return {
      qos: Math.max(...counting.map(({ qos }) => qos)) as Qos,
      retainAsPublished: counting.some(({ retainAsPublished }) => retainAsPublished),
      identifiers: counting.flatMap(({ identifier }) => (identifier === 0 ? [] : [identifier])),
    };
  }

  #noteOptions(): void {
    this.#hasOptions = this.entries().some(
      ([, { noLocal, retainAsPublished, identifier }]) => noLocal || retainAsPublished || identifier !== 0,
    );
  }
}
