import { levelsMatch } from '../mqtt/topic-filter.ts';

export type Qos = 0 | 1 | 2;
/** The reader did not ask for the topic. */
export const NOT_WANTED = -1;

interface Wildcard {
  readonly filter: string;
  readonly levels: readonly string[];
  readonly qos: Qos;
}

/** The filters of one reader. If several match a topic, the highest QoS counts (MQTT-3.3.5-1). */
export class ReaderFilters {
  readonly #exact = new Map<string, Qos>();
  /** The highest QoS first, so that the first match counts. */
  #wildcards: readonly Wildcard[] = [];

  get size(): number {
    return this.#exact.size + this.#wildcards.length;
  }

  /** Whether messages have to wait for the reader while it is away: it has a filter with QoS 1 or 2. */
  get areKept(): boolean {
    return (this.#wildcards[0]?.qos ?? 0) > 0 || [...this.#exact.values()].some((qos) => qos > 0);
  }

  /** A filter that the reader has already gets the new QoS (MQTT-3.8.4-3). */
  set(filter: string, qos: Qos): void {
    if (!/[+#]/.test(filter)) {
      this.#exact.set(filter, qos);
      return;
    }
    const others = this.#wildcards.filter((known) => known.filter !== filter);
    this.#wildcards = [...others, { filter, levels: filter.split('/'), qos }].sort((a, b) => b.qos - a.qos);
  }

  delete(filter: string): void {
    this.#exact.delete(filter);
    this.#wildcards = this.#wildcards.filter((known) => known.filter !== filter);
  }

  qosOf(filter: string): Qos | undefined {
    return this.#exact.get(filter) ?? this.#wildcards.find((known) => known.filter === filter)?.qos;
  }

  entries(): readonly (readonly [string, Qos])[] {
    return [...this.#exact, ...this.#wildcards.map(({ filter, qos }) => [filter, qos] as const)];
  }

  /** The highest QoS that the reader asked for, or NOT_WANTED. `levels` are those of `topic`. */
  qosFor(topic: string, levels: readonly string[]): number {
    const exact = this.#exact.get(topic) ?? NOT_WANTED;
    for (const wildcard of this.#wildcards) {
      if (wildcard.qos <= exact) break;
      if (levelsMatch(wildcard.levels, levels)) return wildcard.qos;
    }
    return exact;
  }
}
