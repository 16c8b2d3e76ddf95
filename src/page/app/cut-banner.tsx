import { line } from '../api/live.ts';
import { gatewayTimeOf } from '../show/clock.ts';
import { timeOfDay } from '../show/format.ts';
import { Icon } from '../show/icon.tsx';
import { words } from '../words/words.ts';

/** Says since when no changes arrive, and why. It is hidden while they arrive. */
export function CutBanner() {
  const since = notLiveSince();
  if (since === null) return null;
  return (
    <div class="banner banner-cut" role="alert">
      <div class="txt">
        <Icon name={since.icon} />
        <div>
          <b>{since.text}</b>
          {since.hint}
        </div>
      </div>
    </div>
  );
}

/** The words for a line that is not live; null while it is. */
export function notLiveSince(): { readonly icon: string; readonly text: string; readonly hint: string } | null {
  if (line.value.kind === 'live') return null;
  const { cut, cutHint, paused, pausedHint } = words.value.trouble;
  const time = timeOfDay(gatewayTimeOf(line.value.sinceMs));
  return line.value.kind === 'cut'
    ? { icon: 'silent', text: cut(time), hint: cutHint }
    : { icon: 'badge', text: paused(time), hint: pausedHint };
}
