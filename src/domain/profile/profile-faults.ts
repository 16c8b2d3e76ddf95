import { anyOf, CodedError, type Fault, foundText } from '../error.ts';
import { PROFILE_MESSAGES, type ProfileMessage } from './profile-messages.ts';

const ORDER = Object.keys(PROFILE_MESSAGES) as readonly ProfileMessage[];
/** Unrecognised words reported; every feature may have one. */
const MAX_UNRECOGNISED = 10;

/** Gathers the faults of a profile: each message once, with its first place. */
export class ProfileFaults {
  readonly #first = new Map<ProfileMessage, Fault>();
  readonly #unrecognised: Fault[] = [];

  note(message: ProfileMessage, path: string, found: unknown): void {
    if (this.#first.has(message)) return;
    const sentence = PROFILE_MESSAGES[message];
    this.#first.set(message, { path, found: foundText(found), expected: 'what the rule says', sentence });
  }

  /** A word outside the enumeration. The interface answers it like malformed JSON (PROF-02). */
  noteUnrecognised(path: string, found: string, words: readonly string[]): void {
    if (this.#unrecognised.length >= MAX_UNRECOGNISED) return;
    this.#unrecognised.push({ path, found: foundText(found), expected: anyOf(words) });
  }

  /** The refusal, in the order of the interface's list (D-23); null without a fault. */
  refusal(): CodedError | null {
    if (this.#unrecognised.length > 0) {
      return new CodedError('malformed', 'an unrecognised value in the profile', this.#unrecognised);
    }
    const faults = ORDER.flatMap((message) => this.#first.get(message) ?? []);
    return faults.length === 0 ? null : new CodedError('invalid-input', 'the profile breaks the rules', faults);
  }
}
