import { BoundedCache } from '../../domain/bounded-cache.ts';
import type { TopicOwner } from '../../domain/plant/nearest-topic.ts';
import { ownText } from '../../runtime/own-text.ts';
import type { Clock } from '../ports.ts';
import { type LiveMachine, RateGate } from './live-machine.ts';
import type { MachineRegistry } from './machine-registry.ts';

/** A search for the nearest name or topic takes some milliseconds among a thousand machines. */
const MAX_SEARCHES_PER_SECOND = 10;
/** Texts whose result is remembered. Beyond it all are forgotten, and searched again. */
const MAX_REMEMBERED_TEXTS = 256;
/** The result of a longer text is not remembered. */
const MAX_REMEMBERED_LENGTH = 256;

export interface MachineSearchOptions<Found> {
  readonly clock: Clock;
  readonly registry: Pick<MachineRegistry, 'all'>;
  readonly search: (text: string, owners: readonly TopicOwner[]) => Found | null;
}

/** Finds what a mistyped text of a device was probably meant for, without ever delaying the machines. */
export class MachineSearch<Found> {
  readonly #options: MachineSearchOptions<Found>;
  readonly #gate = new RateGate(MAX_SEARCHES_PER_SECOND);
  readonly #known = new BoundedCache<string, Found | null>(MAX_REMEMBERED_TEXTS);
  #searchedAmong: readonly LiveMachine[] = [];
  #owners: readonly TopicOwner[] = [];

  constructor(options: MachineSearchOptions<Found>) {
    this.#options = options;
  }

  /** Null if nothing is near, or if too many searches are made. */
  find(text: string): Found | null {
    const { clock, registry, search } = this.#options;
    this.#follow(registry.all());
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (!this.#gate.pass(clock.now().monotonicMs)) return null;
    const found = search(text, this.#owners);
    if (text.length <= MAX_REMEMBERED_LENGTH) this.#known.set(ownText(text, MAX_REMEMBERED_LENGTH), found);
    return found;
  }

  /** The registry gives another list when the plant has changed. */
  #follow(lives: readonly LiveMachine[]): void {
    if (lives === this.#searchedAmong) return;
    this.#known.clear();
    this.#searchedAmong = lives;
    this.#owners = lives.map(({ machine }) => machine);
  }
}
