import { hash } from 'node:crypto';
import { type ChainedEntry, chainFault } from '../../domain/audit/audit-entry.ts';
import type { AuditPage } from '../../flows/audit/audit-ports.ts';
import { type CommandIo, EXIT } from '../command-io.ts';
import { type CommandFailure, type LocalClient, openLocalClient, printFailure } from '../local-client.ts';

const AUDIT = '/api/local/audit';
const ENTRIES_AT_ONCE = 1_000;

/**
 * `plantgate audit verify`: checks the chain of the audit, from its newest entry to the oldest that retention left.
 * Gives the exit code: 0 whole, 74 changed.
 */
export async function verifyAudit({ dataDir, json = false }: VerifyOptions, io: CommandIo): Promise<number> {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return printFailure(opened, io);
  const checked = await checkChain(opened.client);
  if ('exitCode' in checked) return printFailure(checked, io);
  const isWhole = checked.faults.length === 0;
  if (json) io.stdout(JSON.stringify(checked, null, 2));
  else for (const fault of checked.faults) io.stderr(`${fault}.`);
  if (isWhole && !json) io.stdout(`${checked.entries} entries, none was changed or taken away.`);
  return isWhole ? EXIT.done : EXIT.inputOutput;
}

interface VerifyOptions {
  readonly dataDir: string;
  readonly json?: boolean;
}

interface CheckedChain {
  readonly entries: number;
  readonly faults: readonly string[];
}

async function checkChain(client: LocalClient): Promise<CheckedChain | CommandFailure> {
  const faults: string[] = [];
  let entries = 0;
  let newer: ChainedEntry | null = null;
  let from = '';
  while (true) {
    const answer = await client.call('GET', `${AUDIT}?take=${ENTRIES_AT_ONCE}${from}`);
    if (!answer.ok) return answer;
    // The gateway's own answer, in the shape of its port.
    const page = answer.body as AuditPage;
    for (const entry of page.entries) {
      if (newer !== null) faults.push(...faultsOf(newer, entry));
      newer = entry;
    }
    entries += page.entries.length;
    if (page.next === null) break;
    from = `&before=${page.next}`;
  }
  if (newer !== null) faults.push(...faultsOf(newer, null));
  return { entries, faults };
}

function faultsOf(entry: ChainedEntry, older: ChainedEntry | null): readonly string[] {
  const fault = chainFault(entry, older, (text) => hash('sha256', text));
  return fault === null ? [] : [fault];
}
