import { foundText } from '../../../domain/error.ts';
import type { MqttAccount } from '../../../domain/plant/plant.ts';
import { filterCovers, levelsMatch } from '../mqtt/topic-filter.ts';
import type { TopicMatch } from '../topics.ts';

/** The level of a right that stands for the client id. */
const CLIENT_ID = '%c';
/** Filters and machines that a sentence names. */
const MAX_NAMED = 5;

/** The MQTT accounts of the present plant (D-66). */
export class AccountTable {
  readonly #byName: ReadonlyMap<string, MqttAccount>;
  /** The accounts that have a client id for themselves. */
  readonly #byClientId: ReadonlyMap<string | null, MqttAccount>;

  constructor(accounts: readonly MqttAccount[]) {
    this.#byName = new Map(accounts.map((account) => [account.name, account]));
    this.#byClientId = new Map(accounts.map((account) => [account.clientId, account]));
  }

  find(name: string): MqttAccount | undefined {
    return this.#byName.get(name);
  }

  /** Whether the plant still has the account as it was when its client came in. */
  isCurrent(account: MqttAccount): boolean {
    return this.#byName.get(account.name) === account;
  }

  /** Why a client with this id may not use the account; null if it may. */
  clientIdFault(account: MqttAccount, clientId: string): string | null {
    const name = foundText(account.name);
    const found = foundText(clientId);
    if (account.clientId !== null && account.clientId !== clientId)
      return `account ${name} is for the client id ${foundText(account.clientId)}, not for ${found}`;
    const owner = this.#byClientId.get(clientId);
    if (owner !== undefined && owner !== account)
      return `the client id ${found} is that of account ${foundText(owner.name)}: choose another one`;
    const isNamed = [...account.read, ...account.write].some((filter) => filter.split('/').includes(CLIENT_ID));
    if (!isNamed || (clientId !== '' && !/[/+#]/.test(clientId))) return null;
    return `account ${name} has the client id in its topics (%c), so ${found} cannot be it: choose one without /, + and #`;
  }
}

/** The rights of one client of an account. */
export class AccountRights {
  readonly account: MqttAccount;
  readonly #read: Filters;
  readonly #write: Filters;
  readonly #machines: ReadonlySet<string>;

  constructor(account: MqttAccount, clientId: string) {
    this.account = account;
    this.#read = filtersFor(account.read, clientId);
    this.#write = filtersFor(account.write, clientId);
    this.#machines = new Set(account.machines);
  }

  /** Why the client may not subscribe to this filter; null if it may. */
  readFault(filter: string): string | null {
    const levels = filter.split('/');
    if (this.#read.some((right) => filterCovers(right, levels))) return null;
    return `account ${foundText(this.account.name)} may read ${listOf(this.#read.map(textOf))}`;
  }

  /** Why the client may not publish on this topic; null if it may. Commands are judged by the gateway for everybody. */
  writeFault(topic: string, match: TopicMatch | null): string | null {
    if (match !== null && this.#machines.has(match.route.machineId)) return null;
    const levels = topic.split('/');
    if (this.#write.some((right) => levelsMatch(right, levels))) return null;
    const may = listOf([...this.#write.map(textOf), ...[...this.#machines].map((id) => `the topics of ${id}`)]);
    return `account ${foundText(this.account.name)} may publish on ${may}`;
  }
}

type Filters = readonly (readonly string[])[];

function filtersFor(filters: readonly string[], clientId: string): Filters {
  return filters.map((filter) => filter.split('/').map((level) => (level === CLIENT_ID ? clientId : level)));
}

function textOf(levels: readonly string[]): string {
  return levels.join('/');
}

function listOf(names: readonly string[]): string {
  if (names.length === 0) return 'nothing';
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return names.slice(0, MAX_NAMED).join(', ') + more;
}
