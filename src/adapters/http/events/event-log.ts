import type { Sight } from '../../../domain/plant/sight.ts';
import { LIMITS } from '../limits.ts';

/** An event, as it is sent. */
export interface LoggedEvent {
  readonly number: number;
  readonly text: string;
  /** The text for a listener that may not know of all; null: nothing. Left out: each may know of this. */
  readonly textFor?: (sight: Sight) => string | null;
}

/**
 * The newest event about each thing, numbered, in the order of arrival: the events that a client needs after an
 * absence. Older events about the same thing are forgotten, because each carries the whole record.
 */
export class EventLog {
  readonly #runId: string;
  readonly #events = new Map<string, LoggedEvent>();
  #lastNumber = 0;
  /** Events up to this number may be missing. */
  #forgottenNumber = 0;

  /** Numbers of another run have another meaning: `runId` distinguishes the runs. */
  constructor(runId: string) {
    this.#runId = runId;
  }

  get lastId(): string {
    return `${this.#runId}-${this.#lastNumber}`;
  }

  /** Notes an event with its record as JSON, and gives it as it is sent. `key` names its subject. */
  append(event: string, key: string, record: string, recordFor?: (sight: Sight) => object | null): LoggedEvent {
    this.#lastNumber++;
    const id = this.lastId;
    const textFor = (sight: Sight) => {
      const own = recordFor?.(sight) ?? null;
      return own === null ? null : eventText(id, event, JSON.stringify(own));
    };
    const text = eventText(id, event, record);
    const logged = { number: this.#lastNumber, text, ...(recordFor !== undefined && { textFor }) };
    const place = `${event} ${key}`;
    this.#events.delete(place);
    this.#events.set(place, logged);
    if (this.#events.size > LIMITS.rememberedEvents) this.#forgetOldest();
    return logged;
  }

  /** The text of an event under the newest number, with this record as JSON. */
  textOf(event: string, record: string): string {
    return eventText(this.lastId, event, record);
  }

  /** The events after that id of which a listener may know, as one text; null if they are unknown or too many. */
  since(id: string, sight: Sight): string | null {
    const number = this.#numberOf(id);
    if (number === null || number < this.#forgottenNumber || number > this.#lastNumber) return null;
    const missed: string[] = [];
    let length = 0;
    for (const event of this.#events.values()) {
      if (event.number <= number) continue;
      const text = textOf(event, sight);
      length += text.length;
      // Before they are joined, which takes long if there are many.
      if (length > LIMITS.resumedEventBytes) return null;
      missed.push(text);
    }
    const text = missed.join('');
    return Buffer.byteLength(text) > LIMITS.resumedEventBytes ? null : text;
  }

  /** Stops the log for a while: clients that come back later have to load everything again. */
  interrupt(): void {
    this.#events.clear();
    this.#lastNumber++;
    this.#forgottenNumber = this.#lastNumber;
  }

  #numberOf(id: string): number | null {
    const [runId, number = ''] = id.split('-');
    return runId === this.#runId && /^\d{1,15}$/.test(number) ? Number(number) : null;
  }

  #forgetOldest(): void {
    const oldest = this.#events.entries().next();
    if (oldest.done === true) return;
    const [place, { number }] = oldest.value;
    this.#events.delete(place);
    this.#forgottenNumber = number;
  }
}

/** The text of an event for a listener; empty if it may not know of it. */
export function textOf({ text, textFor }: Pick<LoggedEvent, 'text' | 'textFor'>, sight: Sight): string {
  return sight.isWhole || textFor === undefined ? text : (textFor(sight) ?? '');
}

function eventText(id: string, event: string, record: string): string {
  return `id: ${id}\nevent: ${event}\ndata: ${record}\n\n`;
}
