import { isDone } from '../../app/tell-outcome.ts';
import { showToast } from '../../app/toast.ts';
import { type AlertShown, openAlerts, sentenceOf, takeAlert } from '../../plant/alerts.ts';
import { timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';
import { ruleText } from './rule-text.ts';

/** The open alerts, each with who was told and who has it. */
export function OpenAlerts() {
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
        {machineId !== null && (
          <Link to={{ place: 'machine', machineId }} class="btn">
            {texts.openMachine}
          </Link>
        )}
      </div>
    </article>
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
  showToast({ text: taken, more: takenMore, isRefusal: false, undo: null });
}
