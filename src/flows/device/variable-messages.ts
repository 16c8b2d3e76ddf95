import { faultText, foundText } from '../../domain/error.ts';
import { MAX_TEXT_LENGTH } from '../../domain/machine/status/status.ts';
import { nearestName } from '../../domain/nearest-name.ts';
import type { Now } from '../../domain/time.ts';
import { ownVariables, readVariable, readVariables, type VariableValue } from '../../domain/variable/read-variables.ts';
import type { Clock, Incidents } from '../ports.ts';
import type { PublicationReceipt, Store } from '../store-ports.ts';
import type { MessageOrigin, MessageReport, TakenVariables } from './device-ports.ts';
import type { LiveMachine } from './live-machine.ts';
import { addressOf, type MessageNotes } from './message-notes.ts';
import type { HeardMessage } from './message-ring.ts';

export interface VariableMessagesOptions {
  readonly store: Pick<Store, 'write'>;
  readonly notes: MessageNotes;
  readonly clock: Clock;
  readonly incidents: Incidents;
  readonly shiftDateAt: (wallMs: number) => string;
}

/** Takes the process variables of machines: tracked values go to disk, others are reported. */
export class VariableMessages {
  readonly #options: VariableMessagesOptions;
  readonly #notes: MessageNotes;

  constructor(options: VariableMessagesOptions) {
    this.#options = options;
    this.#notes = options.notes;
  }

  /** Several variables in one body. */
  takeAll(live: LiveMachine, text: string, origin: MessageOrigin, receipt: PublicationReceipt | null): TakenVariables {
    const message: HeardMessage = { topic: 'vars', name: '', text, origin };
    this.#notes.noteTolerated(live.machine.machineId, message);
    const read = ownVariables(text);
    if (!read.ok) {
      const detail = read.faults.map(faultText).join('; ');
      this.#notes.malformedOf(live, message, detail);
      return notStored({ kind: 'refused', detail });
    }
    return this.take(live, read.body, message, receipt);
  }

  /** One variable on its own topic. */
  takeOne(
    live: LiveMachine,
    name: string,
    text: string,
    origin: MessageOrigin,
    receipt: PublicationReceipt | null,
  ): TakenVariables {
    const message: HeardMessage = { topic: 'vars/', name, text, origin };
    this.#notes.noteTolerated(live.machine.machineId, message);
    const value = readVariable(name, text, live.tracked);
    if (value === null) return notStored(this.#ignoreVariable(live, name, message));
    const now = this.#options.clock.now();
    this.#notes.noteTaken(live, message, now);
    return this.#store(live, [value], receipt, now);
  }

  take(
    live: LiveMachine,
    body: Readonly<Record<string, unknown>>,
    message: HeardMessage,
    receipt: PublicationReceipt | null,
  ): TakenVariables {
    const values = readVariables(body, live.tracked);
    if (values.length > 0) {
      const now = this.#options.clock.now();
      this.#notes.noteTaken(live, message, now);
      return this.#store(live, values, receipt, now);
    }
    const [first] = Object.keys(body);
    if (first !== undefined) return notStored(this.#ignoreVariable(live, first, message));
    const detail = 'an object without variables';
    this.#notes.ignored(live, message, detail);
    return notStored({ kind: 'ignored', detail });
  }

  /**
   * Ignores a variable that is not tracked, or that is not a number. VAR-01 and VAR-02 make it no error, so it is only
   * reported.
   */
  #ignoreVariable(live: LiveMachine, name: string, message: HeardMessage): MessageReport {
    const { machineId, topicRoot } = live.machine;
    const meant = nearestName(name, live.tracked);
    const hint = meant === null || meant === name ? '' : `; did you mean ${meant}?`;
    const reason = live.tracked.has(name)
      ? `vars/${name}: found ${foundText(message.text)}, expected a number`
      : `${topicRoot}/vars/${name}: not on the tracking list of the machine${hint}`;
    this.#notes.ignored(live, message, reason);
    const kind = live.tracked.has(name) ? 'malformed' : 'unmatchedTopic';
    const example = message.text.slice(0, MAX_TEXT_LENGTH);
    this.#options.incidents.report({ kind, subject: machineId, detail: reason, example, ...addressOf(message.origin) });
    return { kind: 'ignored', detail: reason };
  }

  #store(
    live: LiveMachine,
    values: readonly VariableValue[],
    receipt: PublicationReceipt | null,
    { wallMs }: Now,
  ): TakenVariables {
    const at = Math.round(wallMs);
    const shiftDate = this.#options.shiftDateAt(at);
    const { machineId } = live.machine;
    const points = values.map(({ name, value }) => ({ machineId, name, at, shiftDate, value }));
    return { stored: this.#options.store.write([{ kind: 'variables', points, receipt }]), report: null };
  }
}

const NOTHING_TO_STORE = Promise.resolve();

export function notStored(report: MessageReport | null): TakenVariables {
  return { stored: NOTHING_TO_STORE, report };
}
