import { readPayloadText } from '../../domain/machine/status/payload.ts';
import type { Now } from '../../domain/time.ts';
import { ownSentence } from '../../runtime/own-text.ts';
import type { Clock, Incidents } from '../ports.ts';
import type { MessageOrigin } from './device-ports.ts';
import type { LiveMachine } from './live-machine.ts';
import type { MachineRegistry } from './machine-registry.ts';
import type { HeardMessage, MessageFate, MessageOutcome } from './message-ring.ts';

export interface MessageNotesOptions {
  readonly registry: Pick<MachineRegistry, 'announce'>;
  readonly clock: Clock;
  readonly incidents: Incidents;
}

/** A broker may send a retained status again later; then an old status looks new. */
const RETAINED = 'publishes a status with the retain flag: turn retain off, or an old status is taken for a new one';

/** Keeps the outcome of each message of a machine, and reports its faults. */
export class MessageNotes {
  readonly #options: MessageNotesOptions;

  constructor(options: MessageNotesOptions) {
    this.#options = options;
  }

  /**
   * Reports what was tolerated in a message: bytes that were removed around it (D-34), bytes that are not UTF-8, and
   * the retain flag.
   */
  noteTolerated(machineId: string, { text, origin }: HeardMessage): void {
    const payload = readPayloadText(text);
    if (payload.kind === 'tolerated') this.#tolerated(machineId, `sends payloads with ${payload.taken}`, origin);
    else if (text.includes(REPLACEMENT)) this.#tolerated(machineId, NOT_UTF_8, origin);
    if (origin.retain === true) this.#tolerated(machineId, RETAINED, origin);
  }

  /** An accepted status or field ends a series of refused messages. */
  taken(live: LiveMachine, message: HeardMessage, now: Now): void {
    live.refused = null;
    this.noteTaken(live, message, now);
  }

  noteTaken(live: LiveMachine, message: HeardMessage, { wallMs }: Now): void {
    live.messages.keep(message, TAKEN, wallMs);
  }

  /** An ignored message is no fault and has no effect. */
  ignored(live: LiveMachine, message: HeardMessage, reason: string): void {
    this.note(live, message, 'ignored', reason);
    this.#options.registry.announce(live);
  }

  refused(live: LiveMachine, message: HeardMessage, reason: string): void {
    this.malformedOf(live, message, reason);
    this.countRefused(live, reason);
  }

  malformedOf(live: LiveMachine, message: HeardMessage, reason: string): void {
    this.note(live, message, 'refused', reason);
    this.malformed(live.machine.machineId, reason, message);
  }

  /** The machine's view shows why its messages are not understood (D-35). */
  countRefused(live: LiveMachine, reason: string): void {
    const { wallMs } = this.#options.clock.now();
    const { count = 0, since = wallMs } = live.refused ?? {};
    live.refused = { count: count + 1, since, lastAt: wallMs, reason: ownSentence(reason, MAX_REASON_LENGTH) };
    this.#options.registry.announce(live);
  }

  malformed(subject: string, detail: string, { text, origin }: HeardMessage): void {
    const example = text.slice(0, MAX_EXAMPLE_LENGTH);
    this.#options.incidents.report({ kind: 'malformed', subject, detail, example, ...addressOf(origin) });
  }

  note(live: LiveMachine, message: HeardMessage, outcome: MessageOutcome, reason: string | null): void {
    live.messages.keep(message, { outcome, reason }, this.#options.clock.now().wallMs);
  }

  #tolerated(subject: string, detail: string, origin: MessageOrigin): void {
    this.#options.incidents.report({ kind: 'tolerated', subject, detail, ...addressOf(origin) });
  }
}

const TAKEN: MessageFate = { outcome: 'taken', reason: null };
const REPLACEMENT = '\ufffd';
const NOT_UTF_8 = 'sends bytes that are not UTF-8, perhaps Latin-1 (Windows-1252): send UTF-8, or letters become �';
/** The reason of a refused status; a longer one is shortened. */
const MAX_REASON_LENGTH = 300;
/** The beginning of a malformed message that diagnostics shows. */
const MAX_EXAMPLE_LENGTH = 200;

/** The address of an incident, where it is known. */
export function addressOf({ address }: Pick<MessageOrigin, 'address'>): { readonly address?: string } {
  return address === undefined ? {} : { address };
}
