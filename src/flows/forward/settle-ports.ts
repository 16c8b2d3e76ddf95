import type { Expected } from '../../domain/sync/expected.ts';
import type { SentProfile } from '../../domain/sync/profile-match.ts';

/** Questions of settling by reading to the store's thread (D-30). Bytes are answers as they came. */
export interface SettleQueries {
  /** Whether an answer holds the sought record; null if the answer does not show this. */
  isIn(bytes: Uint8Array, expected: Expected): Promise<boolean | null>;
  /** The search begins at the record `from`. Null if the answer is no list. */
  profilePage(bytes: Uint8Array, sent: SentProfile, from: number): Promise<ProfilePage | null>;
}

/** One page of a list of profiles. */
export interface ProfilePage {
  readonly records: number;
  /** The keys of the first and the last record; null if there are no records. */
  readonly first: string | null;
  readonly last: string | null;
  /** A digest that differs for pages with other records. */
  readonly digest: string;
  /**
   * The ids of profiles there that may be the one that was sent, without those that are known as profiles of ours; null
   * if the id cannot be read.
   */
  readonly alike: readonly (string | null)[];
}
