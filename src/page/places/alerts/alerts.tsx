import { useSignal } from '@preact/signals';
import { call } from '../../api/call.ts';
import { Frame } from '../../app/frame.tsx';
import { isDone } from '../../app/tell-outcome.ts';
import { showDone } from '../../app/toast.ts';
import { useResource } from '../../app/use-resource.ts';
import { type AlertShown, openAlerts, sentenceOf, takeAlert } from '../../plant/alerts.ts';
import { age, timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';
import { RecordForm } from '../admin/record-form.tsx';
import { KIND_ICONS } from './kind-icons.ts';
import { ruleText } from './rule-text.ts';
import { Views } from './views.tsx';

/** The place Alerts: the people who must act, and those who know. */
export function Alerts() {
  const { alerts: texts } = words.value;
  const open = openAlerts.value;
  const answer = open === null || open.length === 0 ? texts.none : texts.answer(open.length, withoutPerson().length);
  return (
    <Frame answer={open === null ? texts.open : answer} more={nextTold()}>
      <Views view="open" />
      <OpenAlerts />
      <PastAlerts />
    </Frame>
  );
}

function withoutPerson() {
  return (openAlerts.value ?? []).filter(({ takenBy }) => takenBy === null);
}

/** The worst alert without a person, and the people who hear of it next. */
function nextTold(): string {
  const [worst] = withoutPerson();
  if (worst === undefined) return '';
  const { next } = worst;
  if (next === null) return `${sentenceOf(worst)}.`;
  return words.value.alerts.nextTold(sentenceOf(worst), next.names.join(', '), timeOrDate(next.at));
}

/** The open alerts, each with who was told and who has it. */
function OpenAlerts() {
  const { alerts: texts } = words.value;
  const open = openAlerts.value;
  if (open === null) return null;
  if (open.length === 0) {
    return (
      <section class="pane stack" aria-label={texts.openList}>
        <p>{texts.openHint}</p>
        <div class="row">
          <Link to={{ place: 'alerts', view: 'rules' }} class="btn">
            {texts.chooseRules}
          </Link>
        </div>
      </section>
    );
  }
  return (
    <section class="pane flush" aria-label={texts.openList}>
      {open.map((alert) => (
        <OpenAlert key={alert.alertId} alert={alert} />
      ))}
    </section>
  );
}

function OpenAlert({ alert }: { readonly alert: AlertShown }) {
  const { alerts: texts } = words.value;
  const { severity, machineId, takenBy } = alert;
  const isNoting = useSignal(false);
  return (
    <article class={`alarm alarm-${severity}`}>
      <Icon name={severity === 'red' ? 'held' : 'warn'} />
      <div>
        <p class="name">{sentenceOf(alert)}</p>
        <p class="small dim">
          {texts.rule(ruleText(alert))} {toldText(alert)}
        </p>
        <Holder alert={alert} />
      </div>
      <div class="row">
        <button type="button" class={takenBy === null ? 'btn btn-main' : 'btn'} onClick={() => void take(alert)}>
          {takenBy === null ? texts.take : texts.takeOver}
        </button>
        {takenBy !== null && (
          <button type="button" class="btn" onClick={() => (isNoting.value = true)}>
            {texts.note}
          </button>
        )}
        {machineId !== null && (
          <Link to={{ place: 'machine', machineId }} class="btn">
            {texts.openMachine}
          </Link>
        )}
      </div>
      {isNoting.value && <NoteForm alert={alert} onClose={() => (isNoting.value = false)} />}
    </article>
  );
}

/** A note for the others, which is shown beside the name of the person who writes it. */
function NoteForm({ alert, onClose }: { readonly alert: AlertShown; readonly onClose: () => void }) {
  const { alerts: texts } = words.value;
  return (
    <RecordForm
      title={texts.noteTo(sentenceOf(alert))}
      path={`/alerts/${encodeURIComponent(alert.alertId)}/take`}
      submit={texts.save}
      fields={[{ name: 'note', label: texts.note, value: alert.note ?? '', hint: texts.noteHint }]}
      onClose={onClose}
      onDone={onClose}
    />
  );
}

function Holder({ alert: { takenBy, takenAt, note, next, severity } }: { readonly alert: AlertShown }) {
  const { alerts: texts } = words.value;
  if (takenBy !== null && takenAt !== null) {
    return (
      <p class="mark">
        <Icon name="person" />
        <span>
          {texts.hasIt(takenBy, timeOrDate(takenAt))}
          {note !== null && `: “${note}”`}
        </span>
      </p>
    );
  }
  const nobody = next === null ? texts.nobody : texts.nobodyNext(next.names.join(', '), timeOrDate(next.at));
  return (
    <p class={`mark mark-${severity}`}>
      <Icon name="person-off" />
      <span>{nobody}</span>
    </p>
  );
}

function toldText({ told }: AlertShown): string {
  const { alerts: texts } = words.value;
  const first = told.filter(({ telling }) => telling === 'opened' || telling === 'escalated');
  if (first.length === 0) return '';
  return texts.told(first.map(({ name, by, at }) => texts.toldBy(name, by.join(', '), timeOrDate(at))).join(', '));
}

async function take({ alertId }: AlertShown): Promise<void> {
  if (!isDone(await takeAlert(alertId))) return;
  const { taken, takenMore } = words.value.alerts;
  showDone(taken, takenMore);
}

/** Alerts that are over and are shown at once. */
const SHOWN = 200;
const CHOICES = ['all', 'nobodyTook', 'escalated'] as const;
type Which = (typeof CHOICES)[number];

/** The alerts of the last 7 days that are over, with who took them. */
function PastAlerts() {
  const loaded = useResource<readonly AlertShown[]>('past', () => call('GET', `/alerts?state=over&limit=${SHOWN}`), {
    again: 'alert',
  });
  const which = useSignal<Which>('all');
  const { alerts: texts } = words.value;
  const past = loaded.value;
  if (past === null) return null;
  const shown = past.filter((alert) => isOf(alert, which.value));
  return (
    <>
      <section class="pane flush" aria-label={texts.over(past.length)}>
        <div class="head">
          <h2 class="h3 grow">{texts.over(past.length)}</h2>
          {past.length > 0 && (
            <fieldset class="seg" aria-label={texts.which}>
              {CHOICES.map((choice) => (
                <button
                  key={choice}
                  type="button"
                  aria-pressed={which.value === choice}
                  onClick={() => (which.value = choice)}
                >
                  {texts[choice]}
                </button>
              ))}
            </fieldset>
          )}
        </div>
        {shown.length > 0 && <PastTable alerts={shown} />}
      </section>
      <p class="small dim">
        {medianText(past)} {texts.ends}
      </p>
    </>
  );
}

function PastTable({ alerts }: { readonly alerts: readonly AlertShown[] }) {
  const { alerts: texts } = words.value;
  return (
    <table class="table cards-s">
      <thead>
        <tr>
          <th>{texts.began}</th>
          <th>{texts.what}</th>
          <th class="right">{texts.lasted}</th>
          <th>{texts.takenBy}</th>
        </tr>
      </thead>
      <tbody>
        {alerts.map((alert) => (
          <tr key={alert.alertId}>
            <td data-k={texts.began}>{timeOrDate(alert.beganAt)}</td>
            <td>
              <Icon name={KIND_ICONS[alert.kind]} /> {sentenceOf(alert)}
            </td>
            <td class="right" data-k={texts.lasted}>
              {age(Date.parse(alert.endedAt ?? alert.beganAt) - Date.parse(alert.beganAt))}
            </td>
            <td data-k={texts.takenBy}>{takerOf(alert)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function isOf(alert: AlertShown, which: Which): boolean {
  if (which === 'nobodyTook') return alert.takenBy === null;
  return which === 'all' || isEscalated(alert);
}

function isEscalated({ told }: AlertShown): boolean {
  return told.some(({ telling }) => telling === 'escalated');
}

function takerOf(alert: AlertShown): string {
  const { alerts: texts } = words.value;
  const afterMs = takenAfterMs(alert);
  if (alert.takenBy !== null && afterMs !== null) return texts.takenAfter(alert.takenBy, age(afterMs));
  return isEscalated(alert) ? texts.nobodyEscalated : texts.nobodyOver;
}

function takenAfterMs({ takenAt, openedAt }: AlertShown): number | null {
  return takenAt === null ? null : Date.parse(takenAt) - Date.parse(openedAt);
}

function medianText(past: readonly AlertShown[]): string {
  const times = past.flatMap((alert) => takenAfterMs(alert) ?? []).sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)];
  return median === undefined ? '' : words.value.alerts.median(age(median));
}
