import { useSignal } from '@preact/signals';
import type { StopLogView } from '../../../../flows/production/stop-log-view.ts';
import { MoreButton } from '../../../app/more-button.tsx';
import { workTime } from '../../../show/format.ts';
import { words } from '../../../words/words.ts';
import { choice } from '../choice.ts';
import { ViewFrame } from '../view-frame.tsx';
import { LogFilter } from './log-filter.tsx';
import { LogLines } from './log-lines.tsx';
import { useStopLog } from './use-stop-log.ts';

const AT_ONCE = 50;
const MORE_AT_ONCE = 200;
/** The gateway gives no more. */
const MOST = 1_000;

/** Every stop and every fault, the newest first. A line opens what came of the same earlier, and a stop can be corrected. */
export function LogView({ scope }: { readonly scope: string }) {
  const limit = useSignal(AT_ONCE);
  const { by, find } = choice.value;
  const { path, log } = useStopLog(scope, limit.value);
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
          onMore={() => (limit.value = Math.min(MOST, log.rows.length + MORE_AT_ONCE))}
        />
      )}
    </ViewFrame>
  );
}

function headline({ total: { count, seconds } }: StopLogView): string {
  const { logIsEmpty, logOf } = words.value.production;
  return count === 0 ? logIsEmpty : logOf(count, workTime(seconds));
}
