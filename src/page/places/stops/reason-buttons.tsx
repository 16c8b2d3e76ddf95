import { useSignal } from '@preact/signals';
import { groupBy } from '../../../domain/group-by.ts';
import type { ReasonIcon } from '../../../domain/plant/plant.ts';
import type { Reason } from '../../plant/plant.ts';
import { Icon } from '../../show/icon.tsx';
import { useSettling } from '../../show/use-settling.ts';
import { words } from '../../words/words.ts';
import { StarterReasons } from './starter-reasons.tsx';

const LARGE_BUTTONS = 8;

interface ReasonButtonsProps {
  /** The ids of the stops that the reason is for. */
  readonly stopIds: string;
  /** Null: not loaded yet. */
  readonly reasons: readonly Reason[] | null;
  /** The number of times that each was given here lately: the usual ones come first. */
  readonly counts: ReadonlyMap<string, number>;
  readonly isOff: boolean;
  /** The machine that each button names; null: the heading above is enough. */
  readonly machine?: string | null;
  /** The reason that the stop has. */
  readonly present?: string | null;
  readonly onReason: (reason: Reason) => void;
}

/** The reasons as large buttons; more of them by group. */
export function ReasonButtons({
  stopIds,
  reasons,
  counts,
  isOff,
  machine = null,
  present = null,
  onReason,
}: ReasonButtonsProps) {
  const group = useSignal<string | null>(null);
  const usesOf = ({ id }: Reason) => counts.get(id) ?? 0;
  const all = [...(reasons ?? [])].sort((one, other) => usesOf(other) - usesOf(one));
  const isSettling = useSettling(`${stopIds} ${all.map(({ id }) => id).join()}`, 'at once');
  if (reasons !== null && all.length === 0) return <StarterReasons />;
  const groups = groupBy(all, (reason) => reason.group);
  const shown = group.value === null ? all.slice(0, LARGE_BUTTONS) : (groups.get(group.value) ?? []);
  return (
    <>
      <div class="reasons">
        {shown.map((reason) => (
          <button
            type="button"
            class="reason"
            key={reason.id}
            disabled={isOff}
            aria-disabled={isSettling}
            aria-pressed={present === null ? undefined : reason.id === present}
            onClick={() => isSettling || onReason(reason)}
          >
            <Icon name={iconOf(reason)} />
            <span>
              {reason.reason}
              <About machine={machine} uses={usesOf(reason)} isPresent={reason.id === present} />
            </span>
          </button>
        ))}
      </div>
      <div class="tabs">
        {[...groups].map(([name, ofGroup]) => (
          <button
            type="button"
            class="tab"
            key={name}
            aria-pressed={group.value === name}
            onClick={() => {
              group.value = group.value === name ? null : name;
            }}
          >
            {name} <span class="k">{ofGroup.length}</span>
          </button>
        ))}
      </div>
    </>
  );
}

interface AboutProps {
  readonly machine: string | null;
  readonly uses: number;
  readonly isPresent: boolean;
}

/** The machine, the number of times that the reason was given there, and whether the stop has it. */
function About({ machine, uses, isPresent }: AboutProps) {
  const { stops: texts } = words.value;
  const about = [machine, isPresent ? texts.isPresent : null, uses > 0 ? texts.uses(uses) : null];
  const text = about.filter((part) => part !== null).join(', ');
  return text === '' ? null : <small>{text}</small>;
}

/** The icon of a reason: its own, else by the words of the usual ones. */
export function iconOf({ icon, reason }: Reason): ReasonIcon {
  return icon ?? ICONS.find(([words]) => words.test(reason))?.[1] ?? 'downtime';
}

const ICONS: readonly (readonly [RegExp, ReasonIcon])[] = [
  [/wait/i, 'hourglass'],
  [/coil/i, 'coil'],
  [/job|order/i, 'swap'],
  [/tool|adjust|maint/i, 'wrench'],
  [/break|lunch/i, 'cup'],
  [/drive|electr/i, 'bolt'],
  [/hydraul|oil/i, 'drop'],
  [/restart|control/i, 'restart'],
  [/operator/i, 'person-off'],
  [/meeting/i, 'people'],
];
