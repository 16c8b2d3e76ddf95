import type { Expected } from '../../domain/sync/expected.ts';
import type { SentProfile } from '../../domain/sync/profile-match.ts';

/** What settling by reading asks of the store's thread (D-30). Bytes are answers as they came: nobody else reads them. */
export interface SettleQueries {
  /** Whether an answer holds what is sought. */
  isIn(bytes: Uint8Array, expected: Expected): Promise<boolean>;
  /** `from`: the record from which on it is looked for. Null: the answer is no list. */
  profilePage(bytes: Uint8Array, sent: SentProfile, from: number): Promise<ProfilePage | null>;
}

/** One page of a list of profiles. */
export interface ProfilePage {
  readonly records: number;
  /** What the first and the last record are told from others by; null: there are none. */
  readonly first: string | null;
  readonly last: string | null;
  /** Tells it from pages that hold others. */
  readonly digest: string;
  /** What those are called there that may be the one that was sent; null: it cannot be read. */
  readonly alike: readonly (string | null)[];
}
