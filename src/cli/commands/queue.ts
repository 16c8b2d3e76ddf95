import { listOf, numberAt, textAt } from '../answer-values.ts';
import { type CommandIo, EXIT } from '../command-io.ts';
import { type LocalClient, openLocalClient, printFailure } from '../local-client.ts';
import { alignedLines, printable } from '../terminal-text.ts';

interface QueueCommand {
  readonly dataDir: string;
}

const SYNC = '/api/local/sync';
const SET_ASIDE = `${SYNC}/setAside`;
const ENTRIES_PER_PAGE = 500;

/**
 * `plantgate queue list`: the state of the central server, the amount of waiting records, and the refused records.
 * `json` prints the answer of the local API. Gives the exit code.
 */
export async function listQueue({ dataDir, json }: QueueCommand & { readonly json: boolean }, io: CommandIo) {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return printFailure(opened, io);
  const answer = await opened.client.call('GET', SYNC);
  if (!answer.ok) return printFailure(answer, io);
  if (json) io.stdout(JSON.stringify(answer.body, null, 2));
  else for (const line of screen(answer.body)) io.stdout(line);
  return EXIT.done;
}

/** `plantgate queue retry`: puts dead letters back into the queue, one by its id or all. Exit code 64: no such id. */
export function retrySetAside(options: QueueCommand & { readonly id: string | null }, io: CommandIo) {
  return eachSetAside(options, io, async (client, id) => ({
    answer: await client.call('POST', `${SET_ASIDE}/${encodeURIComponent(id)}/retry`),
    done: `${id} goes to the central server again.`,
  }));
}

/** `plantgate queue discard`: deletes a dead letter for good. Exit code 64: no such id. */
export function discardSetAside(options: QueueCommand & { readonly id: string }, io: CommandIo) {
  return eachSetAside(options, io, async (client, id) => ({
    answer: await client.call('DELETE', `${SET_ASIDE}/${encodeURIComponent(id)}`),
    done: `${id} is given up.`,
  }));
}

/** `plantgate queue export`: prints all waiting records, one JSON record a line, oldest first. */
export async function exportQueue({ dataDir }: QueueCommand, io: CommandIo): Promise<number> {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return printFailure(opened, io);
  for (let after: number | null = 0; after !== null; ) {
    const page = await opened.client.call('GET', `${SYNC}/queue?after=${after}&take=${ENTRIES_PER_PAGE}`);
    if (!page.ok) return printFailure(page, io);
    const rows = listOf(page.body);
    for (const row of rows) io.stdout(JSON.stringify(row));
    after = numberAt(rows.at(-1), 'seq');
  }
  return EXIT.done;
}

type Operation = (
  client: LocalClient,
  id: string,
) => Promise<{ answer: Awaited<ReturnType<LocalClient['call']>>; done: string }>;

async function eachSetAside(
  { dataDir, id }: QueueCommand & { id: string | null },
  io: CommandIo,
  act: Operation,
): Promise<number> {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return printFailure(opened, io);
  const { client } = opened;
  const ids = id === null ? await setAsideIds(client) : [id];
  if (!Array.isArray(ids)) return printFailure(ids, io);
  if (ids.length === 0) io.stdout('Nothing is set aside.');
  for (const each of ids) {
    const { answer, done } = await act(client, each);
    if (answer.ok) {
      io.stdout(printable(done));
      continue;
    }
    // Another client may have removed one meanwhile.
    if (answer.refusal?.status === 404 && id === null) continue;
    if (answer.refusal?.status !== 404) return printFailure(answer, io);
    io.stderr(printable(`Nothing is set aside as ${JSON.stringify(each)}. "plantgate queue list" shows what is.`));
    return EXIT.usage;
  }
  return EXIT.done;
}

/**
 * The ids of set-aside operations in the order in which they were done (UP-02). An operation that was retried and refused
 * again has a newer id than operations done after it.
 */
async function setAsideIds(client: LocalClient) {
  const found: { readonly id: string; readonly doneAt: string }[] = [];
  for (let after: string | null = '0'; after !== null; ) {
    const page = await client.call('GET', `${SET_ASIDE}?after=${after}&take=${ENTRIES_PER_PAGE}`);
    if (!page.ok) return page;
    const rows = listOf(page.body).map((row) => ({ id: textAt(row, 'id') ?? '', doneAt: textAt(row, 'doneAt') ?? '' }));
    found.push(...rows);
    after = rows.at(-1)?.id ?? null;
  }
  return found.sort((one, other) => Date.parse(one.doneAt) - Date.parse(other.doneAt)).map(({ id }) => id);
}

function screen(sync: unknown): readonly string[] {
  const { depth, bytes } = {
    depth: numberAt(sync, 'queue', 'depth') ?? 0,
    bytes: numberAt(sync, 'queue', 'bytes') ?? 0,
  };
  const detail = textAt(sync, 'upstream', 'detail');
  const state = textAt(sync, 'upstream', 'state') ?? 'unknown';
  const oldestAt = textAt(sync, 'queue', 'oldestAt');
  const waiting = `Queue     ${depth} waiting, ${bytes} bytes${oldestAt === null ? '' : `, oldest ${oldestAt}`}`;
  const held = numberAt(sync, 'queue', 'held', 'depth') ?? 0;
  const rows = setAsideOf(sync).map((row) =>
    ['id', 'at', 'userName', 'what', 'reason'].map((field) => textAt(row, field) ?? '-'),
  );
  return [
    printable(`Upstream  ${state}${detail === null ? '' : `: ${detail}`}`),
    waiting,
    ...(held === 0 ? [] : [`Held      ${held}, for a central server that takes batches`]),
    ...(rows.length === 0
      ? ['Nothing is set aside.']
      : ['', 'Set aside:', ...alignedLines([['ID', 'AT', 'BY', 'WHAT', 'REASON'], ...rows])]),
  ];
}

function setAsideOf(sync: unknown): readonly unknown[] {
  return typeof sync === 'object' && sync !== null && 'setAside' in sync ? listOf(sync.setAside) : [];
}
