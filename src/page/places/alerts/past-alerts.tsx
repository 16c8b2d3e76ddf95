import { useSignal } from '@preact/signals';
import { call } from '../../api/call.ts';
import { useResource } from '../../app/use-resource.ts';
import { type AlertShown, sentenceOf } from '../../plant/alerts.ts';
import { age, timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { KIND_ICONS } from './kind-icons.ts';

/** Alerts that are over and are shown at once. */
const SHOWN = 200;
const CHOICES = ['all', 'nobodyTook', 'escalated'] as const;
type Which = (typeof CHOICES)[number];

/** The alerts of the last 7 days that are over, with who took them. */
export function PastAlerts() {
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
