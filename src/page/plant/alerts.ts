import { signal } from '@preact/signals';
import { alertSentence } from '../../domain/alert/alert-words.ts';
import type { AlertView } from '../../flows/alert/alert-views.ts';
import { call, type Outcome } from '../api/call.ts';
import { onEvent } from '../api/live.ts';
import { now } from '../show/clock.ts';
import { language } from '../words/words.ts';
import { resource } from './resource.ts';

export type AlertShown = AlertView;

/** The open alerts, the worst first; null until loaded. */
export const openAlerts = signal<readonly AlertShown[] | null>(null);

const { load, note } = resource<readonly AlertShown[], AlertShown>({
  ask: () => call('GET', '/alerts?state=open'),
  show: (alerts) => {
    openAlerts.value = alerts;
  },
  change: (alert) => {
    const others = (openAlerts.value ?? []).filter(({ alertId }) => alertId !== alert.alertId);
    openAlerts.value = alert.endedAt === null ? [...others, alert].sort(worstFirst) : others;
  },
});

export function followAlerts(mayLoad: () => boolean): void {
  onEvent('reset', () => mayLoad() && load());
  onEvent('alert', (data) => note(data as AlertShown));
}

/** The person takes it; those who know of it are told. */
export async function takeAlert(alertId: string): Promise<Outcome<AlertShown>> {
  const outcome = await call<AlertShown>('POST', `/alerts/${encodeURIComponent(alertId)}/take`, {});
  if (outcome.kind === 'done') note(outcome.value);
  return outcome;
}

/** The sentence of an alert, as mails say it. One that is over says how long it lasted. */
export function sentenceOf(alert: AlertShown): string {
  const endMs = alert.endedAt === null ? now.value : Date.parse(alert.endedAt);
  return alertSentence(alert, endMs - Date.parse(alert.beganAt), language.value);
}

function worstFirst(a: AlertShown, b: AlertShown): number {
  const rank = ({ severity, takenBy }: AlertShown) => (severity === 'red' ? 0 : 2) + (takenBy === null ? 0 : 1);
  return rank(a) - rank(b) || a.beganAt.localeCompare(b.beganAt);
}
