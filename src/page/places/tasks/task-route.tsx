import type { Scanned } from '../../../flows/local-api/local-api-ports.ts';
import { machineOf } from '../../plant/machines.ts';
import { locations } from '../../plant/plant.ts';
import { type Task, whyUnattainable } from '../../plant/tasks.ts';
import { Icon } from '../../show/icon.tsx';
import { measure } from '../../show/measure.ts';
import { words } from '../../words/words.ts';

/** From where to where. */
export function TaskRoute({ task }: { readonly task: Task }) {
  return (
    <div class="route">
      <PlaceOfTask code={task.sourceLocation} />
      <Icon name="arrow" />
      <PlaceOfTask code={task.destinationLocation} />
    </div>
  );
}

function PlaceOfTask({ code }: { readonly code: string }) {
  return (
    <div class="stop">
      <b>{code}</b>
      <span>{locationName(code)}</span>
    </div>
  );
}

/** A machine's place has the machine's name; an unknown one none. */
export function locationName(code: string): string {
  const known = locations.value?.find((location) => location.code === code);
  return known?.name ?? machineOf(code)?.name ?? '';
}

/** Says to everybody that a task cannot be done, why, and who said so. Nothing is shown if nobody did. */
export function Unattainable({ task }: { readonly task: Task }) {
  const reason = whyUnattainable(task);
  if (reason === null) return null;
  return (
    <p class="cannot">
      <Icon name="warn" />
      <span>
        <b>{words.value.tasks.cannotBe(reason)}</b>
        {task.userName !== null && ` ${words.value.tasks.saidBy(task.userName)}`}
      </span>
    </p>
  );
}

/** The location that a scan names; null: none. A machine's label stands for its location, else for the one of the same name. */
export function scannedLocation(scanned: Scanned): string | null {
  if (scanned.kind === 'machine') return machineOf(scanned.id)?.location ?? scanned.id;
  return scanned.kind === 'location' ? scanned.id : null;
}

/** The coil that is wanted: gauge, colour, material, width, length. */
export function TaskSpec({ task: { coilType, requiredFt } }: { readonly task: Task }) {
  const { gauge } = words.value.units;
  return (
    <p class="spec">
      <span>
        <b>
          {coilType.gauge} {gauge} {coilType.color}
        </b>{' '}
        {coilType.materialType}
      </span>
      <span>
        <b class="num">{measure(coilType.widthIn, 'in', 4)}</b>
      </span>
      <span>
        <b class="num">{measure(requiredFt, 'ft')}</b>
      </span>
    </p>
  );
}
