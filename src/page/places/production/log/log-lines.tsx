import { useSignal } from '@preact/signals';
import type { LogLineView } from '../../../../flows/production/stop-log-view.ts';
import { machineName } from '../../../plant/machines.ts';
import type { Stop } from '../../../plant/stops.ts';
import { duration, timeOrDay } from '../../../show/format.ts';
import { Icon } from '../../../show/icon.tsx';
import { words } from '../../../words/words.ts';
import { EditStop } from '../../stops/edit-stop.tsx';
import { LineHistory, lineName } from './stop-history.tsx';

interface LogLinesProps {
  readonly rows: readonly LogLineView[];
  /** Lines of other gateways' machines are corrected there. */
  readonly isOwn?: boolean;
}

/** The lines of the log. One of them is open at a time, and shows whether the same came before. */
export function LogLines({ rows, isOwn = true }: LogLinesProps) {
  const open = useSignal<string | null>(null);
  const edited = useSignal<Stop | null>(null);
  const texts = words.value.production;
  return (
    <section class="pane flush" aria-label={texts.views.log}>
      <table class="table cards-s log">
        <thead>
          <tr>
            <th scope="col">{texts.began}</th>
            <th scope="col">{texts.machine}</th>
            <th scope="col">{texts.reason}</th>
            <th scope="col" class="rightc">
              {texts.lasted}
            </th>
            <th scope="col" style={{ width: '26%' }}>
              {texts.note}
            </th>
            <th scope="col">
              <span class="sr">{texts.correct}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const key = row.downtimeId ?? `${row.machineId} ${row.startedAt}`;
            return (
              <Line
                key={key}
                row={row}
                isOwn={isOwn}
                isOpen={open.value === key}
                onToggle={() => (open.value = open.value === key ? null : key)}
                onCorrect={(stop) => (edited.value = stop)}
              />
            );
          })}
        </tbody>
      </table>
      {edited.value !== null && (
        <EditStop stop={edited.value} isGone={false} neighbour={null} onClose={() => (edited.value = null)} />
      )}
    </section>
  );
}

interface LineProps {
  readonly row: LogLineView;
  readonly isOwn: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onCorrect: (stop: Stop) => void;
}

function Line({ row, isOwn, isOpen, onToggle, onCorrect }: LineProps) {
  const texts = words.value.production;
  const {
    downtimeId,
    machineId,
    machineName: told,
    startedAt,
    endedAt,
    seconds,
    faultSeconds,
    note,
    partId,
    userName,
  } = row;
  return (
    <>
      <tr>
        <td class="num" data-k={texts.began}>
          {timeOrDay(startedAt)}
        </td>
        <td data-k={texts.machine}>{isOwn ? machineName(machineId) : (told ?? machineId)}</td>
        <th scope="row">
          {isOwn ? (
            <button type="button" class="line-open" aria-expanded={isOpen} onClick={onToggle}>
              {lineName(row)}
              <Icon name="down" />
            </button>
          ) : (
            lineName(row)
          )}
        </th>
        <td class="rightc num" data-k={texts.lasted}>
          {duration(seconds * 1_000)}
          {endedAt === null && ` ${texts.soFar}`}
          {downtimeId !== null && faultSeconds > 0 && (
            <small class="dim">{texts.faultOf(duration(faultSeconds * 1_000))}</small>
          )}
        </td>
        <td data-k={texts.note}>
          {note ?? ''}
          <small class="dim">{[partId, userName].filter((text) => text !== null).join(', ')}</small>
        </td>
        <td class="rightc">
          {isOwn && downtimeId !== null && (
            <button
              type="button"
              class="btn btn-icon"
              aria-label={texts.correct}
              onClick={() => onCorrect({ ...row, downtimeId })}
            >
              <Icon name="note" />
            </button>
          )}
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td class="line-history" colSpan={6}>
            <LineHistory row={row} />
          </td>
        </tr>
      )}
    </>
  );
}
