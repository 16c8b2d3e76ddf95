import { Choose } from '../../app/choose.tsx';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';
import type { Range } from './buckets.ts';
import { chooseVariables, SCALES, type Scale, type VariableChoice } from './choice.ts';
import type { Curve } from './load-curves.ts';

interface ScaleProps {
  readonly machineId: string;
  readonly choice: VariableChoice;
  readonly curves: readonly Curve[];
}

/** The source of the axes: the values, the values with their limits, or a typed range of each. */
export function ScaleChoice({ machineId, choice, curves }: ScaleProps) {
  const texts = words.value.variables;
  return (
    <div class="ask">
      <Choose
        label={texts.scale}
        value={choice.scale}
        options={SCALES.map((scale) => [scale, texts.scales[scale]] as const)}
        onChoose={(scale) => chooseVariables(machineId, { ...choice, scale: scale as Scale })}
      />
      <Link to={{ place: 'alerts', view: 'rules' }} class="btn">
        {texts.setLimits}
      </Link>
      {choice.scale === 'typed' &&
        curves.map(({ name, label }) => (
          <RangeFields
            key={name}
            label={label}
            range={choice.ranges[name] ?? null}
            onType={(range) => chooseVariables(machineId, { ...choice, ranges: { ...choice.ranges, [name]: range } })}
          />
        ))}
    </div>
  );
}

interface RangeProps {
  readonly label: string;
  readonly range: Range | null;
  readonly onType: (range: Range) => void;
}

/** The range counts once both numbers are typed and in order. */
function RangeFields({ label, range, onType }: RangeProps) {
  const texts = words.value.variables;
  const put = (form: HTMLElement | null) => {
    const [low = Number.NaN, high = Number.NaN] = [...(form?.querySelectorAll('input') ?? [])].map(
      (input) => input.valueAsNumber,
    );
    if (low < high) onType({ low, high });
  };
  return (
    <fieldset class="wave-range">
      <legend>{label}</legend>
      {(['low', 'high'] as const).map((end) => (
        <input
          key={end}
          type="number"
          step="any"
          class="input"
          aria-label={`${label}, ${texts[end]}`}
          placeholder={texts[end]}
          value={range?.[end]}
          onChange={({ currentTarget }) => put(currentTarget.parentElement)}
        />
      ))}
    </fieldset>
  );
}
