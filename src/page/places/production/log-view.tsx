import { useSignal } from '@preact/signals';
import type { StopLogView } from '../../../flows/production/stop-log-view.ts';
import { call } from '../../api/call.ts';
import { MoreButton } from '../../app/more-button.tsx';
import { useResource } from '../../app/use-resource.ts';
import { now } from '../../show/clock.ts';
import { workTime } from '../../show/format.ts';
import { words } from '../../words/words.ts';
import { choice } from './choice.ts';
import { LogFilter, PARTS } from './log-filter.tsx';
import { LogLines } from './log-lines.tsx';
import { ViewFrame } from './view-frame.tsx';

const AT_ONCE = 50;

/** Every stop and every fault, the newest first. A line opens what came of the same earlier, and a stop can be corrected. */
export function LogView({ scope }: { readonly scope: string }) {
  const limit = useSignal(AT_ONCE);
  const { by, find } = choice.value;
  const asked = new URLSearchParams(scope);
  if (PARTS.some((part) => part === by)) by !== '' && asked.set('part', by);
  else asked.set('reasonId', by);
  if (find.trim() !== '') asked.set('text', find.trim());
  const path = `/production/log?${asked}`;
  // The time of a line that lasts goes on.
  const minute = Math.floor(now.value / 60_000);
  const load = () => call<StopLogView>('GET', `${path}&limit=${limit.value}`);
  const log = useResource(`${path} ${limit.value} ${minute}`, load, { again: 'downtime' }).value;
  const texts = words.value.production;
  return (
    <ViewFrame
      answer={log === null ? words.value.trouble.waits : headline(log)}
      more={log === null || log.total.faultSeconds < 60 ? '' : texts.faultFor(workTime(log.total.faultSeconds))}
      file={`${path}&format=csv`}
      shiftNames={log?.shiftNames ?? []}
    >
      <LogFilter by={by} find={find} />
      {log !== null && log.rows.length > 0 && <LogLines rows={log.rows} />}
      {log !== null && (
        <MoreButton
          shown={log.rows.length}
          total={log.total.count}
          onMore={() => (limit.value = log.rows.length + 200)}
        />
      )}
    </ViewFrame>
  );
}

function headline({ total: { count, seconds } }: StopLogView): string {
  const { logIsEmpty, logOf } = words.value.production;
  return count === 0 ? logIsEmpty : logOf(count, workTime(seconds));
}
