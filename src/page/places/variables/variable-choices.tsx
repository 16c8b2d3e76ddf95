import type { VariableView } from '../../../flows/local-api/local-api-ports.ts';
import { now } from '../../show/clock.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { chooseVariables, PERIODS, type Period, type VariableChoice } from './choice.ts';
import type { Window } from './load-curves.ts';

const MOST_CURVES = 4;

interface ChoiceProps {
  readonly machineId: string;
  readonly choice: VariableChoice;
}

/** The length of the time, and the way to earlier and later ones. */
export function PeriodChoice({ machineId, choice, window }: ChoiceProps & { readonly window: Window }) {
  const texts = words.value.variables;
  const halfMs = PERIODS[choice.period] / 2;
  const move = (byMs: number) => {
    const toMs = window.toMs + byMs;
    chooseVariables(machineId, { ...choice, toMs: toMs >= now.value ? null : toMs });
  };
  return (
    <div class="ask">
      <div class="seg" role="group" aria-label={words.value.production.period}>
        {(Object.keys(PERIODS) as Period[]).map((period) => (
          <button
            type="button"
            key={period}
            aria-pressed={period === choice.period}
            onClick={() => chooseVariables(machineId, { ...choice, period })}
          >
            {texts.periods[period]}
          </button>
        ))}
      </div>
      <button type="button" class="btn btn-icon" aria-label={texts.earlier} onClick={() => move(-halfMs)}>
        <Icon name="left" />
      </button>
      <button
        type="button"
        class="btn btn-icon"
        aria-label={texts.later}
        disabled={choice.toMs === null}
        onClick={() => move(halfMs)}
      >
        <Icon name="right" />
      </button>
      <button type="button" class="btn btn-icon push" aria-label={words.value.production.print} onClick={() => print()}>
        <Icon name="print" />
      </button>
    </div>
  );
}

/** A tap adds a curve or takes it away. One more than there is room for takes the place of the first. */
export function NameChoice({ machineId, choice, all }: ChoiceProps & { readonly all: readonly VariableView[] }) {
  const { names } = choice;
  const toggled = (name: string) =>
    names.includes(name) ? names.filter((one) => one !== name) : [...names, name].slice(-MOST_CURVES);
  return (
    <div class="tabs" role="group" aria-label={words.value.variables.which}>
      {all.map(({ name, label }) => (
        <button
          type="button"
          class="tab"
          key={name}
          aria-pressed={names.includes(name)}
          onClick={() => chooseVariables(machineId, { ...choice, names: toggled(name) })}
        >
          <Icon name={names.includes(name) ? 'check' : 'plus'} />
          {label ?? name}
        </button>
      ))}
    </div>
  );
}
