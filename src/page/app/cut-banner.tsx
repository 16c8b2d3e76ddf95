import { line } from '../api/live.ts';
import { gatewayTimeOf } from '../show/clock.ts';
import { timeOfDay } from '../show/format.ts';
import { Icon } from '../show/icon.tsx';
import { words } from '../words/words.ts';

/** Says since when no changes arrive. It is hidden while they arrive. */
export function CutBanner() {
  if (line.value.kind === 'live') return null;
  const { cut, cutHint } = words.value.trouble;
  return (
    <div class="banner banner-cut" role="alert">
      <div class="txt">
        <Icon name="silent" />
        <div>
          <b>{cut(timeOfDay(gatewayTimeOf(line.value.sinceMs)))}</b>
          {cutHint}
        </div>
      </div>
    </div>
  );
}
