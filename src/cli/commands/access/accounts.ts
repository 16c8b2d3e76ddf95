import { at, listOf, textAt } from '../../answer-values.ts';
import { type CommandIo, EXIT } from '../../command-io.ts';
import { openLocalClient, printFailure } from '../../local-client.ts';
import { alignedLines, printable } from '../../terminal-text.ts';

interface AccountCommand {
  readonly dataDir: string;
}

export interface NewAccount {
  readonly name: string;
  readonly clientId: string | null;
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly machines: readonly string[];
}

const ACCOUNTS = '/api/local/plant/mqttAccounts';

/**
 * `plantgate account add`: lets a client of MQTT in that is no machine (D-66). The password is asked for on a terminal,
 * else read from standard input. Gives the exit code: 73 if the name is taken, 64 for a value that is not allowed.
 */
export async function addAccount({ dataDir, ...account }: AccountCommand & NewAccount, io: CommandIo): Promise<number> {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return printFailure(opened, io);
  const password = await io.readSecret(`Password of ${printable(account.name)}: `);
  if (password === '') {
    io.stderr('There is no password. Type one, or give it on standard input.');
    return EXIT.usage;
  }
  const answer = await opened.client.call('POST', ACCOUNTS, { ...account, password });
  if (!answer.ok) return printFailure(answer, io);
  io.stdout(printable(`Clients with the user name ${account.name} may connect over MQTT.`));
  return EXIT.done;
}

/** `plantgate account list`: every account with its rights; never a password. */
export async function listAccounts({ dataDir, json }: AccountCommand & { readonly json: boolean }, io: CommandIo) {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return printFailure(opened, io);
  const answer = await opened.client.call('GET', ACCOUNTS);
  if (!answer.ok) return printFailure(answer, io);
  const accounts = listOf(answer.body);
  if (json) io.stdout(JSON.stringify(accounts, null, 2));
  else if (accounts.length === 0) io.stdout('There are no MQTT accounts. "plantgate account add" adds one.');
  else {
    const rows = accounts.map((account) => [
      textAt(account, 'name') ?? '',
      textAt(account, 'clientId') ?? '-',
      ...['read', 'write', 'machines'].map((field) => listOf(at(account, field)).join(' ') || '-'),
    ]);
    for (const line of alignedLines([['NAME', 'CLIENT ID', 'READ', 'WRITE', 'MACHINES'], ...rows])) io.stdout(line);
  }
  return EXIT.done;
}

/** `plantgate account revoke`: its clients are cut off. 64 if there is no such account. */
export async function revokeAccount({ dataDir, name }: AccountCommand & { readonly name: string }, io: CommandIo) {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return printFailure(opened, io);
  const answer = await opened.client.call('DELETE', `${ACCOUNTS}/${encodeURIComponent(name)}`);
  if (answer.ok) {
    io.stdout(printable(`Clients with the user name ${name} may not connect any more.`));
    return EXIT.done;
  }
  if (answer.refusal?.status !== 404) return printFailure(answer, io);
  io.stderr(printable(`No MQTT account is called ${name}. "plantgate account list" lists all of them.`));
  return EXIT.usage;
}
