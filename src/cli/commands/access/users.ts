import type { Role } from '../../../domain/plant/plant.ts';
import { listOf, textAt } from '../../answer-values.ts';
import { type CommandIo, EXIT } from '../../command-io.ts';
import { openLocalClient, printFailure } from '../../local-client.ts';
import { alignedLines, printable } from '../../terminal-text.ts';
import { plantsAt, plantsCell, plantsHeading } from './listed-plants.ts';

interface UserCommand {
  readonly dataDir: string;
}

interface NewPerson {
  readonly name: string;
  readonly role: Role;
  /** The plants that the person is for (D-108). */
  readonly plants?: readonly string[];
}

const USERS = '/api/local/plant/users';

/**
 * `plantgate user add`: lets a person sign in at the page. The password is asked for on a terminal, else read from
 * standard input; the gateway keeps a hash of it. Gives the exit code: 73 if the name is taken, 64 for a value that is
 * not allowed.
 */
export async function addUser({ dataDir, ...person }: UserCommand & NewPerson, io: CommandIo): Promise<number> {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return printFailure(opened, io);
  const { name, role } = person;
  const password = await io.readSecret(`Password of ${printable(name)}: `);
  if (password === '') {
    io.stderr('There is no password. Type one, or give it on standard input.');
    return EXIT.usage;
  }
  const answer = await opened.client.call('POST', USERS, { ...person, password });
  if (!answer.ok) return printFailure(answer, io);
  io.stdout(printable(`${name} (${role}) may sign in at the page.`));
  return EXIT.done;
}

/** `plantgate user list`: all people who may sign in, with the role; never a password. */
export async function listUsers({ dataDir, json }: UserCommand & { readonly json: boolean }, io: CommandIo) {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return printFailure(opened, io);
  const answer = await opened.client.call('GET', USERS);
  if (!answer.ok) return printFailure(answer, io);
  const users = listOf(answer.body).map((user) => ({
    name: textAt(user, 'name') ?? '',
    role: textAt(user, 'role') ?? '',
    ...plantsAt(user),
  }));
  if (json) io.stdout(JSON.stringify(users, null, 2));
  else if (users.length === 0) io.stdout('No person can sign in yet. "plantgate user add" adds one.');
  else {
    const rows = users.map((user) => [user.name, user.role, ...plantsCell(user)]);
    for (const line of alignedLines([['NAME', 'ROLE', ...plantsHeading(users)], ...rows])) io.stdout(line);
  }
  return EXIT.done;
}

/**
 * `plantgate user revoke`: a person may not sign in any more, and is signed out at once. 64 if there is no person with
 * that name.
 */
export async function revokeUser({ dataDir, name }: UserCommand & { readonly name: string }, io: CommandIo) {
  const opened = await openLocalClient(dataDir);
  if (!opened.ok) return printFailure(opened, io);
  const answer = await opened.client.call('DELETE', `${USERS}/${encodeURIComponent(name)}`);
  if (answer.ok) {
    io.stdout(printable(`${name} may not sign in any more.`));
    return EXIT.done;
  }
  if (answer.refusal?.status !== 404) return printFailure(answer, io);
  io.stderr(printable(`No person is called ${name}. "plantgate user list" lists all people.`));
  return EXIT.usage;
}
