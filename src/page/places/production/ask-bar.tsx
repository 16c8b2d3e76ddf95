import { useSignal } from '@preact/signals';
import { machinesNow, presentShift } from '../../plant/machines.ts';
import type { Machine } from '../../plant/shown-state.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { areaChoice, areaOf, choice, chooseProduction, days, PERIODS, type Period } from './choice.ts';

interface AskBarProps {
  /** Shifts that can be chosen; empty: the view shows them side by side, or one. */
  readonly shiftNames: readonly string[];
}

/** Period, machines and shift. A choice goes along from view to view. */
export function AskBar({ shiftNames }: AskBarProps) {
  const { period, shift } = choice.value;
  const texts = words.value.production;
  const isTyping = useSignal(!isNamed(period));
  return (
    <div class="ask">
      <div class="seg" role="group" aria-label={texts.period}>
        {PERIODS.map((one) => (
          <button
            type="button"
            key={one}
            aria-pressed={!isTyping.value && period === one}
            onClick={() => {
              isTyping.value = false;
              chooseProduction({ period: one });
            }}
          >
            {texts.periods[one]}
          </button>
        ))}
        <button type="button" aria-pressed={isTyping.value} onClick={() => (isTyping.value = true)}>
          {texts.fromTo}
        </button>
      </div>
      {isTyping.value && <Dates />}
      <MachineChoice />
      {shiftNames.length > 1 && period !== 'shift' && (
        <Choose
          label={texts.shift}
          value={shift}
          options={[['all', texts.allShifts], ...shiftNames.map((name) => [name, name] as const)]}
          onChoose={(name) => chooseProduction({ shift: name })}
        />
      )}
    </div>
  );
}

function isNamed(period: Period): boolean {
  return PERIODS.some((one) => one === period);
}

function Dates() {
  const range = days.value;
  const { fromDay, toDay } = words.value.production;
  if (range === null) return null;
  const put = (change: { readonly from?: string; readonly to?: string }) => {
    const { from, to } = { ...range, ...change };
    if (from !== '' && to !== '') chooseProduction({ period: from <= to ? `${from}..${to}` : `${to}..${from}` });
  };
  const last = presentShift.value?.shiftDate;
  return (
    <>
      <input
        type="date"
        class="input"
        aria-label={fromDay}
        value={range.from}
        max={last}
        onChange={({ currentTarget }) => put({ from: currentTarget.value })}
      />
      <input
        type="date"
        class="input"
        aria-label={toDay}
        value={range.to}
        max={last}
        onChange={({ currentTarget }) => put({ to: currentTarget.value })}
      />
    </>
  );
}

function MachineChoice() {
  const { machines } = choice.value;
  const texts = words.value.production;
  const all = machinesNow.value;
  const areas = areasOf(all);
  const known = areaOf(machines);
  const options: (readonly [string, string])[] = [
    ['all', texts.allMachines(all.length)],
    ...areas.map((area) => [areaChoice(area), texts.area(area)] as const),
    ...all.map(({ machineId, name }) => [machineId, name] as const),
  ];
  // An area of an old link may have no machine any more.
  if (known !== null && !areas.includes(known)) options.push([machines, texts.area(known)]);
  return (
    <Choose
      label={texts.machines}
      value={machines}
      options={options}
      onChoose={(chosen) => chooseProduction({ machines: chosen })}
    />
  );
}

function areasOf(machines: readonly Machine[]): readonly string[] {
  const areas = new Set(machines.flatMap(({ area }) => area ?? []));
  return [...areas].sort((one, other) => one.localeCompare(other));
}

interface ChooseProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChoose: (value: string) => void;
}

/** A choice as the system's own list, which suits every screen. */
export function Choose({ label, value, options, onChoose }: ChooseProps) {
  return (
    <label class="choose">
      <span class="sr">{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </label>
  );
}
