import { plantText } from '../../config/plant-file/plant-text.ts';
import { isJsonObject } from '../../domain/json/json.ts';
import { orderIdentity } from '../../domain/order/order-key.ts';
import { PLANT_CODECS } from '../../domain/plant/plant-codecs.ts';
import { FILE_KINDS } from '../../domain/plant/plant-entry.ts';
import type { Result } from '../../domain/result.ts';
import { at, listOf, textAt } from '../answer-values.ts';
import { type CommandIo, EXIT } from '../command-io.ts';
import { type CommandFailure, inPlant, type LocalClient, openLocalClient, printFailure } from '../local-client.ts';

const HEADING = `\
# The plant of this gateway, without secrets: API keys and users are left out, and so are registrationKey and
# mqttPassword of machines, and passwords of MQTT accounts. Applying it to the same gateway changes nothing and keeps the secrets that it has.`;

/** Keys and people are useless without their secrets, and are left out. */
type ExportedKind = Exclude<(typeof FILE_KINDS)[number], 'apiKeys' | 'users'>;
const EXPORTED_KINDS = FILE_KINDS.filter((kind): kind is ExportedKind => kind !== 'apiKeys' && kind !== 'users');

type Page = Result<{ readonly records: readonly unknown[] }, CommandFailure>;

/** Kinds with too many records for one answer, with the key behind which the next page begins. */
const PAGE_KEYS = {
  coils: (record: unknown) => textAt(record, 'coilId'),
  tasks: (record: unknown) => textAt(record, 'taskId'),
  profiles: (record: unknown) => textAt(record, 'profileId'),
  orders: (record: unknown) => (isJsonObject(record) ? orderIdentity(record).orderKey : null),
} as const;
const RECORDS_AT_ONCE = 1_000;

interface ExportOptions {
  readonly dataDir: string;
  /** One of several plants of a central server; null: its first one. */
  readonly plantId: string | null;
}

/**
 * `plantgate export`: prints the plant of the running gateway as a plant file, kinds in the order of the contract, records
 * by their ids, page by page. Gives the exit code; after a failure the printed part is not whole.
 */
export async function runExport({ dataDir, plantId }: ExportOptions, io: CommandIo): Promise<number> {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return printFailure(opened, io);
  const client = inPlant(opened.client, plantId);
  // The heading is held back, so that nothing is printed if the gateway does not answer.
  let heading: string | null = HEADING;
  for (const kind of EXPORTED_KINDS) {
    for await (const part of partsOf(kind, client)) {
      if (typeof part !== 'string') return printFailure(part, io);
      if (heading !== null) io.stdout(heading);
      heading = null;
      io.stdout(part);
    }
  }
  return EXIT.done;
}

async function* partsOf(kind: ExportedKind, client: LocalClient): AsyncGenerator<string | CommandFailure> {
  let isFirst = true;
  for await (const page of pagesOf(kind, client)) {
    if (!page.ok) yield page;
    else if (isFirst || page.records.length > 0) yield plantText(kind, page.records, !isFirst).trimEnd();
    isFirst = false;
  }
}

/** The records of a kind in the order of their ids; the last page is empty. */
async function* pagesOf(kind: ExportedKind, client: LocalClient): AsyncGenerator<Page> {
  if (!isPaged(kind)) {
    const page = await pageOf(kind, '', client);
    const { idField } = PLANT_CODECS[kind];
    yield page.ok ? { ok: true, records: inOrder(page.records, idField) } : page;
    return;
  }
  for (let after: string | null = ''; after !== null; ) {
    const page = await pageOf(kind, `?${new URLSearchParams({ after, take: String(RECORDS_AT_ONCE) })}`, client);
    yield page;
    const last = page.ok ? page.records.at(-1) : undefined;
    after = last === undefined ? null : PAGE_KEYS[kind](last);
  }
}

function isPaged(kind: ExportedKind): kind is keyof typeof PAGE_KEYS {
  return kind in PAGE_KEYS;
}

async function pageOf(kind: ExportedKind, query: string, client: LocalClient): Promise<Page> {
  const answer = await client.call('GET', `/api/local/plant/${kind}${query}`);
  return answer.ok ? { ok: true, records: listOf(answer.body) } : answer;
}

function inOrder(records: readonly unknown[], idField: string): readonly unknown[] {
  return [...records].sort((one, other) => compare(at(one, idField), at(other, idField)));
}

/** Compares numbers by value and texts by their characters' codes, which is the same on every computer. */
function compare(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  const [first, second] = [String(one), String(other)];
  return first < second ? -1 : Number(first > second);
}
