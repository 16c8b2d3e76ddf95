import type { SyncStatus } from '../../../flows/forward/sync-status-ports.ts';
import type { StoreCounters } from '../../../flows/store-health-ports.ts';
import { machines } from '../../plant/machines.ts';
import { age, number, timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';

/** One trouble with its subject, as `/diagnostics` has it. */
export interface Trouble {
  readonly subject: string;
  readonly detail: string;
  readonly count: number;
  readonly lastAt: string;
  readonly address: string | null;
  readonly faults: readonly Omit<Trouble, 'subject' | 'faults'>[];
}

export interface Diagnostics {
  readonly gateway: { readonly version: string; readonly uptimeSeconds: number };
  readonly counts: Readonly<Record<string, number>>;
  readonly storage: StoreCounters;
  readonly [kind: string]: unknown;
}

/** The subjects of one kind of trouble, newest first. */
export function troublesOf(diagnostics: Diagnostics, kind: string): readonly Trouble[] {
  return (diagnostics[kind] ?? []) as readonly Trouble[];
}

interface HealthProps {
  readonly status: SyncStatus;
  readonly diagnostics: Diagnostics;
}

/** The parts that the gateway leans on, each in a word. */
export function Health({ status: { upstream }, diagnostics }: HealthProps) {
  const { sync: said } = words.value;
  const { gateway, storage } = diagnostics;
  const all = [...(machines.value?.values() ?? [])];
  const answering = all.filter(({ rules }) => rules.every(({ rule, holds }) => rule !== 'responding' || holds)).length;
  const [legacyTrouble] = troublesOf(diagnostics, 'legacyAgent');
  const [jump] = troublesOf(diagnostics, 'clockJump');
  const isAway = upstream.state === 'offline' || upstream.state === 'refused';
  return (
    <section class="health" aria-label={said.health}>
      <Cell
        icon={isAway ? 'warn' : 'sync'}
        isWrong={isAway}
        title={said.central(upstream.state)}
        detail={
          upstream.detail ??
          (upstream.lastContactAt === null ? '' : said.lastContact(timeOrDate(upstream.lastContactAt)))
        }
      />
      <Cell
        icon="agent"
        isWrong={legacyTrouble !== undefined}
        title={legacyTrouble === undefined ? said.legacyWell : said.legacyTrouble(timeOrDate(legacyTrouble.lastAt))}
        detail={legacyTrouble?.detail ?? ''}
      />
      <Cell icon="broker" isWrong={false} title={said.broker(answering, all.length)} detail={said.answering} />
      <Cell
        icon="disk"
        isWrong={storage.health.state !== 'ok'}
        title={said.disk(storage.health.state)}
        detail={said.database(number(storage.databaseBytes / 1_000_000, 1))}
      />
      <Cell
        icon="clock"
        isWrong={jump !== undefined}
        title={jump === undefined ? said.clockRight : said.clockJumped(timeOrDate(jump.lastAt))}
        detail={jump?.detail ?? ''}
      />
      <Cell
        icon="chip"
        isWrong={false}
        title={`plantgate ${gateway.version}`}
        detail={said.upFor(age(gateway.uptimeSeconds * 1_000))}
      />
    </section>
  );
}

interface CellProps {
  readonly icon: string;
  readonly isWrong: boolean;
  readonly title: string;
  readonly detail: string;
}

function Cell({ icon, isWrong, title, detail }: CellProps) {
  return (
    <div class={isWrong ? 'cell cell-warn' : 'cell'}>
      <Icon name={isWrong ? 'warn' : icon} />
      <b>{title}</b>
      <small>{detail}</small>
    </div>
  );
}
