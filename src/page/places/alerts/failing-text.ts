import type { ChannelStateView } from '../../../flows/alert/alert-views.ts';
import { timeOrDate } from '../../show/format.ts';
import { words } from '../../words/words.ts';

/** Since when and why a channel fails, and how many messages wait. */
export function failingText({ state }: ChannelStateView): string {
  const { failingSince, detail, waiting } = state;
  const since = failingSince === null ? '' : timeOrDate(failingSince);
  return words.value.alerts.failing(since, detail ?? '', waiting);
}
