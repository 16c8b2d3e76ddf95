import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { AuditPage } from '../../../flows/audit/audit-ports.ts';
import { call } from '../../api/call.ts';
import { onEvent } from '../../api/live.ts';
import { Frame } from '../../app/frame.tsx';
import { SearchField } from '../../app/search-field.tsx';
import { isDone } from '../../app/tell-outcome.ts';
import { machineName, machineOf } from '../../plant/machines.ts';
import { partText, reasonText } from '../../plant/plant.ts';
import { FileLink } from '../../show/file-link.tsx';
import { dateAndTime, isToday, timeOrDate, timeToTheSecond } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { ScrollSection } from '../../show/scroll-section.tsx';
import { centralAct, words } from '../../words/words.ts';

type LoggedAct = AuditPage['entries'][number];

const TYPING_PAUSE_MS = 200;
/** Newer entries are asked for so often. An entry for each act of everybody would be too much to send to every page. */
const LIVE_EVERY_MS = 5_000;
/** Characters of a change in its row: a new task or order would fill the screen. */
const MAX_SHOWN = 80;

/** The place Events: the audit log, newest first, with a search and a day. Newer entries come by themselves. */
export function Events() {
  const sought = useSignal('');
  const date = useSignal('');
  const { entries, next, total, loadOlder } = useEntries(sought.value.trim(), date.value);
  const { events: texts, trouble } = words.value;
  const [newest] = entries ?? [];
  const countText = () => texts.count(total ?? entries?.length ?? 0, total !== null || next === null);
  const query = queryOf(sought.value.trim(), date.value);
  return (
    <Frame
      answer={entries === null ? trouble.waits : texts.question}
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
        <label class={date.value === '' ? 'row no-print' : 'row'}>
          {texts.day}
          <input type="date" value={date.value} onInput={({ currentTarget }) => (date.value = currentTarget.value)} />
        </label>
        <FileLink class="btn" path={`/audit.csv${query === '' ? '' : `?${query}`}`}>
          <Icon name="download" />
          CSV
        </FileLink>
      </div>
      {entries !== null && <EntryTable entries={entries} isSearch={query !== ''} isEnd={next === null} />}
      {next !== null && (
        <button type="button" class="btn" onClick={loadOlder}>
          {texts.older}
        </button>
      )}
    </Frame>
  );
}

function queryOf(text: string, date: string): string {
  return `${new URLSearchParams({ ...(text !== '' && { q: text }), ...(date !== '' && { date }) })}`;
}

/** The entries that a text and a day find: a page, the older ones that were opened, and those that are new. */
function useEntries(text: string, date: string) {
  const entries = useSignal<readonly LoggedAct[] | null>(null);
  const next = useSignal<number | null>(null);
  const total = useSignal<number | null>(null);
  const asked = useRef(0);
  const ask = (before: number | null = null) =>
    call<AuditPage>('GET', `/audit?${queryOf(text, date)}${before === null ? '' : `&before=${before}`}`);
  const load = async (before: number | null) => {
    const turn = ++asked.current;
    const outcome = await ask(before);
    // The answer to an earlier question may come after that to a later one.
    if (turn !== asked.current || !isDone(outcome)) return;
    entries.value = [...(before === null ? [] : (entries.value ?? [])), ...outcome.value.entries];
    next.value = outcome.value.next;
    if (before === null) total.value = outcome.value.total;
  };
  /** Nobody asked for it, so a refusal is not told. */
  const loadNewer = async () => {
    const turn = asked.current;
    const outcome = await ask();
    if (turn !== asked.current || outcome.kind !== 'done') return;
    const shown = entries.value ?? [];
    entries.value = [...newerThan(shown[0], outcome.value.entries), ...shown];
    total.value = outcome.value.total;
  };
  useEffect(() => {
    const timer = setTimeout(() => void load(null), entries.value === null ? 0 : TYPING_PAUSE_MS);
    const live = setInterval(() => !document.hidden && entries.value !== null && void loadNewer(), LIVE_EVERY_MS);
    // Entries that are shown stay as they are, with the older ones that were opened.
    const leave = onEvent('reset', () => void (entries.value === null ? load(null) : loadNewer()));
    return () => {
      clearTimeout(timer);
      clearInterval(live);
      leave();
    };
  }, [text, date]);
  return { entries: entries.value, next: next.value, total: total.value, loadOlder: () => void load(next.value) };
}

function newerThan(newest: LoggedAct | undefined, entries: readonly LoggedAct[]): readonly LoggedAct[] {
  return newest === undefined ? entries : entries.filter(({ number }) => number > newest.number);
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
      <td class="num nowrap">
        <span class="no-print">{isToday(at) ? timeToTheSecond(at) : timeOrDate(at)}</span>
        <span class="print-only">{dateAndTime(at)}</span>
      </td>
      <td>
        <b>{who}</b>
        <br />
        <span class="dim small">
          {role} {address}
        </span>
      </td>
      <td>
        {actText(act)} <b>{act.endsWith('AlertRule') ? ruleKind(subject) : subjectText(subject)}</b>
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
        {text.slice(0, MAX_SHOWN)}
        <span class="no-print">…</span>
      </summary>
      <span>
        <span class="no-print">…</span>
        {text.slice(MAX_SHOWN)}
      </span>
    </details>
  );
}

/** Acts on records of the plant are a verb and a kind, such as `add machines`. */
export function actText(act: string): string {
  const { events: texts } = words.value;
  const [, verb, kind = ''] = /^(add|change|remove) (\w+)$/.exec(act) ?? [];
  return verb === 'add' || verb === 'change' || verb === 'remove'
    ? texts.plantAct(verb, kind)
    : centralAct.value(act) || texts.act(act);
}

const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** `Panel line 1 11/29, 02:06`, where the log has the id of the machine and an exact time. */
export function subjectText(subject: string): string {
  const [first = ''] = subject.split(' ', 1);
  const named = machineOf(first) === undefined ? subject : `${machineName(first)}${subject.slice(first.length)}`;
  return named.replaceAll(INSTANT, (at) => dateAndTime(at));
}

function ruleKind(kind: string): string {
  return Object.entries(words.value.alerts.kinds).find(([name]) => name === kind)?.[1] ?? kind;
}

/** `Part Panel 100 (P-100), Note new coil`. */
function fieldsOf(json: string | null): string {
  if (json === null) return '';
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null) return String(value);
  const { field: label } = words.value.events;
  return Object.entries(value)
    .filter(([, field]) => field !== null && `${field}` !== '')
    .map(([name, field]) => `${label(name)} ${valueText(name, field)}`)
    .join(', ');
}

/** A reason, a part and a machine by its name; a time as clocks show it. */
function valueText(name: string, value: unknown): string {
  if (typeof value === 'object') return JSON.stringify(value);
  if (typeof value === 'boolean') return words.value.orders[value ? 'yes' : 'no'];
  const text = String(value);
  if (name === 'kind') return ruleKind(text);
  if (name === 'reasonId') return reasonText(text) ?? text;
  if (name === 'machineId') return machineName(text);
  if (name === 'partId') return partText(text);
  return text.replaceAll(INSTANT, (at) => dateAndTime(at));
}
