import { randomBytes } from 'node:crypto';
import { newKey } from '../../../adapters/system/secrets.ts';
import type { Role } from '../../../domain/plant/plant.ts';
import type { Result } from '../../../domain/result.ts';
import { listOf, textAt } from '../../answer-values.ts';
import { type CommandIo, EXIT } from '../../command-io.ts';
import { type CommandFailure, type LocalClient, openLocalClient, printFailure } from '../../local-client.ts';
import { alignedLines, printable } from '../../terminal-text.ts';
import { plantsAt, plantsCell, plantsHeading } from './listed-plants.ts';

interface KeyCommand {
  readonly dataDir: string;
  /** For programs instead of people. */
  readonly json: boolean;
}

export interface NewKeyOptions extends KeyCommand {
  readonly principal: string;
  readonly role: Role;
  /** Null if an id has to be made. */
  readonly id: string | null;
  /** The plants that the key is for (D-108). */
  readonly plants?: readonly string[];
}

/** The keys to revoke: a name is a principal with all its keys, or the id of one key; an id is only that key. */
export interface RevokeOptions extends KeyCommand {
  readonly by: 'name' | 'id';
  readonly name: string;
}

const KEYS = '/api/local/plant/apiKeys';
const ID_BYTES = 4;

/**
 * `plantgate key create`: makes a key for a principal and prints it only now; the gateway keeps a hash of it (AUTH-02).
 * A principal may have several. Gives the exit code: 73 if the id is taken, 64 for a value that is not allowed.
 */
export async function createKey(
  { principal, role, id, plants, ...command }: NewKeyOptions,
  io: CommandIo,
): Promise<number> {
  const opened = await openLocalClient(command.dataDir);
  if (!opened.ok) return printFailure(opened, io);
  const since = new Date().toISOString();
  const made = { id: id ?? newKeyId(), principal, role, since, ...(plants !== undefined && { plants }) };
  const key = newKey();
  const answer = await opened.client.call('POST', KEYS, { ...made, key });
  if (!answer.ok) return printFailure(answer, io);
  if (command.json) {
    io.stdout(JSON.stringify({ ...made, key }, null, 2));
    return EXIT.done;
  }
  io.stderr(printable(`API key ${made.id} of ${principal} (${role}), shown this once and kept nowhere:`));
  io.stdout(key);
  return EXIT.done;
}

/** `plantgate key list`: every key with id, principal, role and time of creation; never the key or its hash. */
export async function listKeys({ dataDir, json }: KeyCommand, io: CommandIo): Promise<number> {
  const found = await askKeys(dataDir);
  if (!found.ok) return printFailure(found, io);
  if (json) io.stdout(JSON.stringify(found.keys, null, 2));
  else if (found.keys.length === 0) io.stdout('There are no API keys. "plantgate key create" makes one.');
  else {
    const rows = found.keys.map((key) => [key.id, key.principal, key.role, key.since ?? '-', ...plantsCell(key)]);
    const headings = ['ID', 'PRINCIPAL', 'ROLE', 'SINCE', ...plantsHeading(found.keys)];
    for (const line of alignedLines([headings, ...rows])) io.stdout(line);
  }
  return EXIT.done;
}

/** `plantgate key revoke`: revokes keys, which are invalid from then on. 64 if there is no such key. */
export async function revokeKeys({ by, name, dataDir, json }: RevokeOptions, io: CommandIo): Promise<number> {
  const found = await askKeys(dataDir);
  if (!found.ok) return printFailure(found, io);
  const ofPrincipal = by === 'name' ? found.keys.filter(({ principal }) => principal === name) : [];
  const revoked = ofPrincipal.length > 0 ? ofPrincipal : found.keys.filter(({ id }) => id === name);
  if (revoked.length === 0) {
    const what = by === 'name' ? 'principal or id' : 'id';
    io.stderr(`There is no API key with the ${what} ${JSON.stringify(name)}. "plantgate key list" shows them.`);
    return EXIT.usage;
  }
  for (const key of revoked) {
    const answer = await found.client.call('DELETE', `${KEYS}/${encodeURIComponent(key.id)}`);
    if (!answer.ok && answer.refusal?.status !== 404) return printFailure(answer, io);
    if (!json) io.stdout(printable(`API key ${key.id} of ${key.principal} (${key.role}) is revoked.`));
  }
  if (json) io.stdout(JSON.stringify(revoked, null, 2));
  return EXIT.done;
}

interface ListedKey {
  readonly id: string;
  readonly principal: string;
  readonly role: string;
  readonly since: string | null;
  readonly plants?: readonly string[];
}

type FoundKeys = Result<{ readonly client: LocalClient; readonly keys: readonly ListedKey[] }, CommandFailure>;

async function askKeys(dataDir: string): Promise<FoundKeys> {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return opened;
  const answer = await opened.client.call('GET', KEYS);
  if (!answer.ok) return answer;
  const keys = listOf(answer.body).map((key) => ({
    id: textAt(key, 'id') ?? '',
    principal: textAt(key, 'principal') ?? '',
    role: textAt(key, 'role') ?? '',
    since: textAt(key, 'since'),
    ...plantsAt(key),
  }));
  const byName = (one: ListedKey, other: ListedKey) =>
    one.principal.localeCompare(other.principal) || one.id.localeCompare(other.id);
  return { ok: true, client: opened.client, keys: keys.sort(byName) };
}

/** An id that is short enough to type. No principal has such a name, and the gateway reports a double id. */
function newKeyId(): string {
  return `key-${randomBytes(ID_BYTES).toString('hex')}`;
}
