import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { AuditPage } from '../../../flows/audit/audit-ports.ts';
import { call } from '../../api/call.ts';
import { onEvent } from '../../api/live.ts';
import { Frame } from '../../app/frame.tsx';
import { SearchField } from '../../app/search-field.tsx';
import { isDone } from '../../app/tell-outcome.ts';
import { FileLink } from '../../show/file-link.tsx';
import { isToday, timeOrDate, timeToTheSecond } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { ScrollSection } from '../../show/scroll-section.tsx';
import { words } from '../../words/words.ts';

type LoggedAct = AuditPage['entries'][number];

const TYPING_PAUSE_MS = 200;
/** Characters of a change in its row: a new task or order would fill the screen. */
const MAX_SHOWN = 80;

/** The place Events: the audit log, newest first, with a search. */
export function Events() {
  const sought = useSignal('');
  const entries = useSignal<readonly LoggedAct[] | null>(null);
  const next = useSignal<number | null>(null);
  const total = useSignal<number | null>(null);
  const asked = useRef(0);
  const load = async (before: number | null) => {
    const turn = ++asked.current;
    const query = new URLSearchParams({
      ...(before !== null && { before: String(before) }),
      ...(sought.value.trim() !== '' && { q: sought.value.trim() }),
    });
    const outcome = await call<AuditPage>('GET', `/audit?${query}`);
    // The answer to an earlier question may come after that to a later one.
    if (turn !== asked.current || !isDone(outcome)) return;
    entries.value = [...(before === null ? [] : (entries.value ?? [])), ...outcome.value.entries];
    next.value = outcome.value.next;
    if (before === null) total.value = outcome.value.total;
  };
  useEffect(() => {
    const timer = setTimeout(() => void load(null), entries.value === null ? 0 : TYPING_PAUSE_MS);
    // Entries that are shown stay as they are, with the older ones that were opened.
    const leave = onEvent('reset', () => entries.value === null && void load(null));
    return () => {
      clearTimeout(timer);
      leave();
    };
  }, [sought.value]);
  const { events: texts, trouble } = words.value;
  const shown = entries.value;
  const [newest] = shown ?? [];
  const countText = () => {
    const isWhole = total.value !== null || next.value === null;
    return texts.count(total.value ?? shown?.length ?? 0, isWhole);
  };
  return (
    <Frame
      answer={shown === null ? trouble.waits : texts.question}
      more={newest === undefined ? '' : `${countText()} ${texts.newest(timeOrDate(newest.at))}`}
    >
      <div class="row">
        <SearchField
          label={texts.find}
          value={sought.value}
          onSearch={(text) => {
            sought.value = text;
          }}
        />
        <FileLink
          class="btn"
          path={`/audit.csv${sought.value.trim() === '' ? '' : `?q=${encodeURIComponent(sought.value.trim())}`}`}
        >
          <Icon name="download" />
          CSV
        </FileLink>
      </div>
      {shown !== null && (
        <EntryTable entries={shown} isSearch={sought.value.trim() !== ''} isEnd={next.value === null} />
      )}
      {next.value !== null && (
        <button type="button" class="btn" onClick={() => void load(next.value)}>
          {texts.older}
        </button>
      )}
    </Frame>
  );
}

interface EntryTableProps {
  readonly entries: readonly LoggedAct[];
  readonly isSearch: boolean;
  /** There are no older entries to look through. */
  readonly isEnd: boolean;
}

function EntryTable({ entries, isSearch, isEnd }: EntryTableProps) {
  const { events: texts } = words.value;
  if (entries.length === 0)
    return <p class="dim">{!isSearch ? texts.noneYet : isEnd ? texts.none : texts.noneSoFar}</p>;
  return (
    <ScrollSection label={texts.question} class="pane flush">
      <table class="table table-log">
        <thead>
          <tr>
            <th>{texts.when}</th>
            <th>{texts.who}</th>
            <th>{texts.what}</th>
            <th class="hide-s">{texts.before}</th>
            <th>{texts.after}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <Entry key={entry.number} entry={entry} />
          ))}
        </tbody>
      </table>
    </ScrollSection>
  );
}

function Entry({ entry: { at, who, role, address, act, subject, before, after } }: { readonly entry: LoggedAct }) {
  return (
    <tr>
      <td class="num nowrap">{isToday(at) ? timeToTheSecond(at) : timeOrDate(at)}</td>
      <td>
        <b>{who}</b>
        <br />
        <span class="dim small">
          {role} {address}
        </span>
      </td>
      <td>
        {actText(act)} <b>{subject}</b>
      </td>
      <td class="dim hide-s change">
        <Change text={fieldsOf(before)} />
      </td>
      <td class="bold change">
        <Change text={fieldsOf(after)} />
      </td>
    </tr>
  );
}

/** A longer text begins in the row, and opens at a tap. */
function Change({ text }: { readonly text: string }) {
  if (text.length <= MAX_SHOWN) return text;
  return (
    <details>
      <summary>
        <Icon name="right" kind="turn" />
        {`${text.slice(0, MAX_SHOWN)}…`}
      </summary>
      <span>{`…${text.slice(MAX_SHOWN)}`}</span>
    </details>
  );
}

/** Acts on records of the plant are a verb and a kind, such as `add machines`. */
function actText(act: string): string {
  const { events: texts } = words.value;
  const [, verb, kind = ''] = /^(add|change|remove) (\w+)$/.exec(act) ?? [];
  return verb === 'add' || verb === 'change' || verb === 'remove' ? texts.plantAct(verb, kind) : texts.act(act);
}

/** `partId P-100, note new coil`. */
function fieldsOf(json: string | null): string {
  if (json === null) return '';
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .filter(([, field]) => field !== null)
    .map(([name, field]) => `${name} ${typeof field === 'object' ? JSON.stringify(field) : String(field)}`)
    .join(', ');
}
