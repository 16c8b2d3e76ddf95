import { plantText } from '../config/plant-text.ts';
import { PLANT_CODECS } from '../domain/plant-codecs.ts';
import { PLANT_KINDS, type PlantKind } from '../domain/plant-entry.ts';
import { listOf, textAt } from './answer-values.ts';
import { type CommandIo, EXIT } from './command-io.ts';
import { type CommandFailure, type LocalClient, openLocalClient, tellFailure } from './local-client.ts';

const HEADING = `\
# The plant of this gateway, without secrets: API keys and users are left out, and so are registrationKey and
# mqttPassword of machines. Applying it to the same gateway changes nothing and keeps the secrets that it has.`;

/** Keys and people are nothing without their secrets. */
const LEFT_OUT: ReadonlySet<PlantKind> = new Set(['apiKeys', 'users']);
const RECORDS_AT_ONCE = 1_000;

/**
 * `plantgate export`: prints the plant of the running gateway as a plant file, kinds in the order of the contract, records
 * by their ids, page by page. Gives the exit code; what was printed before a failure is not whole.
 */
export async function runExport({ dataDir }: { readonly dataDir: string }, io: CommandIo): Promise<number> {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return tellFailure(opened, io);
  // Held back, so that nothing is printed of a gateway that does not answer.
  let heading: string | null = HEADING;
  for (const kind of PLANT_KINDS.filter((name) => !LEFT_OUT.has(name))) {
    for await (const part of partsOf(kind, opened.client)) {
      if (typeof part !== 'string') return tellFailure(part, io);
      if (heading !== null) io.stdout(heading);
      heading = null;
      io.stdout(part);
    }
  }
  return EXIT.done;
}

async function* partsOf(kind: PlantKind, client: LocalClient): AsyncGenerator<string | CommandFailure> {
  let isFirst = true;
  for await (const page of pagesOf(kind, client)) {
    if (!page.ok) yield page;
    else if (isFirst || page.records.length > 0) yield plantText(kind, page.records, !isFirst).trimEnd();
    isFirst = false;
  }
}

type Page = { readonly ok: true; readonly records: readonly unknown[] } | CommandFailure;

/** The records of a kind in the order of their ids; of coils and tasks there may be too many for one answer. */
async function* pagesOf(kind: PlantKind, client: LocalClient): AsyncGenerator<Page> {
  if (kind !== 'coils' && kind !== 'tasks') {
    const page = await pageOf(kind, '', client);
    yield page.ok ? { ok: true, records: inOrder(kind, page.records) } : page;
    return;
  }
  for (let after: string | null = ''; after !== null; ) {
    const page = await pageOf(kind, `?${new URLSearchParams({ after, take: String(RECORDS_AT_ONCE) })}`, client);
    yield page;
    after = page.ok ? textAt(page.records.at(-1), PLANT_CODECS[kind].idField) : null;
  }
}

async function pageOf(kind: PlantKind, query: string, client: LocalClient): Promise<Page> {
  const answer = await client.call('GET', `/api/local/plant/${kind}${query}`);
  return answer.ok ? { ok: true, records: listOf(answer.body) } : answer;
}

function inOrder(kind: PlantKind, records: readonly unknown[]): readonly unknown[] {
  const { idField } = PLANT_CODECS[kind];
  const idOf = (record: unknown) => new Map(Object.entries(Object(record))).get(idField);
  return [...records].sort((one, other) => compare(idOf(one), idOf(other)));
}

/** Numbers by value, texts by their characters' codes: the same everywhere. */
function compare(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  const [first, second] = [String(one), String(other)];
  return first < second ? -1 : Number(first > second);
}
