import { Sheet } from '../../app/sheet.tsx';
import type { Fault } from '../../app/tell-outcome.ts';
import type { Task } from '../../plant/tasks.ts';
import { Icon } from '../../show/icon.tsx';
import { LegacyRefusal } from '../../show/legacy-refusal.tsx';
import { words } from '../../words/words.ts';
import { locationName } from './task-route.tsx';

interface OtherPlaceProps {
  readonly task: Task;
  /** The place that was scanned. */
  readonly location: string;
  /** The reason why the coil was not set down here at the last try. */
  readonly fault: Fault | null;
  readonly onSetDown: () => void;
  readonly onClose: () => void;
}

/** Another place was scanned than the task names: the coil goes on to the task's place, or is set down here. */
export function OtherPlace({ task, location, fault, onSetDown, onClose }: OtherPlaceProps) {
  const { tasks: texts } = words.value;
  const { destinationLocation, selectedCoilId } = task;
  return (
    <Sheet title={texts.isNotPlace(location, destinationLocation)} onClose={onClose}>
      {fault !== null && <LegacyRefusal fault={fault} />}
      <table class="table">
        <tbody>
          <Row of={texts.wanted} code={destinationLocation} />
          <Row of={texts.scanned} code={location} isOther />
        </tbody>
      </table>
      <p class="bold">{texts.whereTo(selectedCoilId ?? '')}</p>
      <button type="button" class="btn btn-main btn-wide" onClick={onClose}>
        <Icon name="arrow" />
        {texts.goOnTo(destinationLocation)}
      </button>
      <button type="button" class="btn btn-wide" onClick={onSetDown}>
        <Icon name={fault === null ? 'check' : 'retry'} />
        {texts.setDownAt(location)}
      </button>
      <p class="dim">{texts.legacyFirst}</p>
    </Sheet>
  );
}

function Row({
  of,
  code,
  isOther = false,
}: {
  readonly of: string;
  readonly code: string;
  readonly isOther?: boolean;
}) {
  return (
    <tr>
      <td class="dim">{of}</td>
      <td class={isOther ? 'bold other-place' : ''}>
        {isOther && <Icon name="warn-line" />} {code}
      </td>
      <td class={isOther ? 'bold other-place' : ''}>{locationName(code)}</td>
    </tr>
  );
}
