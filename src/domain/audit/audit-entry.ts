/** An act of a person or a key. Its fields are texts, so that every program that checks the chain gets the same hashes. */
export interface AuditEntry {
  readonly entryId: string;
  /** Wall-clock milliseconds. */
  readonly at: number;
  /** The person's name, or the principal of the key. */
  readonly who: string;
  readonly role: string;
  /** The address of the person or program. */
  readonly address: string;
  /** The kind of act, such as `selectPart`. */
  readonly act: string;
  /** The record that was changed, such as `RF-01`. */
  readonly subject: string;
  /** JSON; null without a value, or with one that is too large to keep. */
  readonly before: string | null;
  readonly after: string | null;
}

/** An entry in its place in the chain: its hash covers the entry and the hash of the one before it. */
export interface ChainedEntry extends AuditEntry {
  readonly number: number;
  readonly previous: string;
  readonly hash: string;
}

/** The hash before the very first entry. */
export const FIRST_HASH = '0'.repeat(64);

const WITHIN_ID = /[\p{L}\p{N}_.-]/u;

/** Whether an entry names a gateway, in its subject or its change. `north-1` is not named by `north-10`. */
export function namesGateway(
  { subject, before, after }: Pick<AuditEntry, 'subject' | 'before' | 'after'>,
  gatewayId: string,
): boolean {
  const text = ` ${subject} ${before ?? ''} ${after ?? ''} `;
  const isWithinId = (at: number) => WITHIN_ID.test(text.charAt(at));
  for (let at = text.indexOf(gatewayId); at >= 0; at = text.indexOf(gatewayId, at + 1)) {
    if (!isWithinId(at - 1) && !isWithinId(at + gatewayId.length)) return true;
  }
  return false;
}

/** The text whose SHA-256 is the entry's hash. */
export function chainText(previous: string, entry: AuditEntry): string {
  const { entryId, at, who, role, address, act, subject, before, after } = entry;
  return JSON.stringify([previous, entryId, at, who, role, address, act, subject, before, after]);
}

/** The fault of an entry or of its link to `older`, the entry before it in the chain; null without a fault. */
export function chainFault(
  { number, previous, hash, ...entry }: ChainedEntry,
  older: Pick<ChainedEntry, 'number' | 'hash'> | null,
  sha256: (text: string) => string,
): string | null {
  if (sha256(chainText(previous, entry)) !== hash) return `entry ${number} was changed after it was written`;
  if (older === null) return null;
  if (older.number !== number - 1) return `entries ${older.number + 1} to ${number - 1} were taken away`;
  return older.hash === previous ? null : `entry ${older.number} does not stand before entry ${number} any more`;
}
