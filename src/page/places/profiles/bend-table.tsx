import { type Signal, useSignal } from '@preact/signals';
import type { Feature, Straight } from '../../../domain/profile/profile.ts';
import { Icon } from '../../show/icon.tsx';
import { ScrollSection } from '../../show/scroll-section.tsx';
import { words } from '../../words/words.ts';

interface BendTableProps {
  readonly features: readonly Feature[];
  readonly selected: Signal<number | null>;
  readonly onChange: (features: readonly Feature[]) => void;
}

/**
 * The features in order, each with its numbers. A bend is added and removed together with a straight, because straights
 * and bends must alternate.
 */
export function BendTable({ features, selected, onChange }: BendTableProps) {
  const { profiles: texts } = words.value;
  const place = selected.value;
  const replace = (at: number, feature: Feature) =>
    onChange(features.map((one, index) => (index === at ? feature : one)));
  const add = () => {
    const at = place ?? features.length - 1;
    const after = at % 2 === 0 ? at + 1 : at + 2;
    onChange([...features.slice(0, after), NEW_BEND, NEW_STRAIGHT, ...features.slice(after)]);
    selected.value = after;
  };
  const remove = () => {
    if (place === null || place % 2 === 0) return;
    onChange([...features.slice(0, place), ...features.slice(place + 2)]);
    selected.value = null;
  };
  return (
    <div class="pane flush">
      <div class="head">
        <h2 class="h3">{texts.bends}</h2>
        <span class="dim push">{texts.features(features.length)}</span>
      </div>
      <ScrollSection label={texts.bends}>
        <table class="table">
          <tbody>
            {features.map((feature, index) => (
              <tr
                key={index}
                aria-selected={index === place}
                onClick={() => (selected.value = index)}
                onFocusIn={() => (selected.value = index)}
              >
                <td class="num">{index + 1}</td>
                <td>{texts.types[feature.type]}</td>
                <td class="right">
                  <Numbers feature={feature} place={index} onChange={(changed) => replace(index, changed)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollSection>
      <div class="row pad">
        <button type="button" class="btn grow" onClick={add}>
          <Icon name="plus" />
          {texts.addBend}
        </button>
        <button type="button" class="btn" disabled={place === null || place % 2 === 0} onClick={remove}>
          <Icon name="minus" />
          {texts.removeBend}
        </button>
      </div>
    </div>
  );
}

const NEW_BEND: Feature = { type: 'Angle', angle: 90, hemHeight: 0 };
const NEW_STRAIGHT: Straight = { type: 'Straight', length: 1, hemHeight: 0 };

/** The numbers of each type of feature. */
const NUMBERS = {
  Straight: ['length'],
  Angle: ['angle'],
  Radius: ['angle', 'radius'],
  OpenHem: ['hemHeight'],
  ClosedHem: [],
  TearDropHem: ['hemClampOffset'],
} as const satisfies Record<Feature['type'], readonly string[]>;

interface NumbersProps {
  readonly feature: Feature;
  readonly place: number;
  readonly onChange: (feature: Feature) => void;
}

function Numbers({ feature, place, onChange }: NumbersProps) {
  const { profiles: texts } = words.value;
  return (
    <span class="numbers">
      {NUMBERS[feature.type].map((name) => (
        <NumberField
          key={name}
          name={texts.numbers[name]}
          isNamed={name !== 'length' && name !== 'angle'}
          place={place}
          unit={name === 'angle' ? '°' : ` ${words.value.units.inch}`}
          value={numberOf(feature, name)}
          onChange={(value) => onChange(withNumber(feature, name, value))}
        />
      ))}
      {'hemDirection' in feature && <span class="dim">{feature.hemDirection}</span>}
    </span>
  );
}

interface NumberFieldProps {
  readonly name: string;
  /** Whether the name is shown; screen readers say it in any case. */
  readonly isNamed: boolean;
  readonly place: number;
  readonly unit: string;
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** A number that is typed key by key: `6.` stays as it is typed, and an empty field is no number. */
function NumberField({ name, isNamed, place, unit, value, onChange }: NumberFieldProps) {
  const typed = useSignal('');
  // Discard and Undo change the number after it was typed.
  const shown = Object.is(typedNumber(typed.value), value) ? typed.value : String(value);
  return (
    <label>
      <span class={isNamed ? 'dim small' : 'sr'}>{name} </span>
      <input
        class="number num"
        inputmode="decimal"
        aria-label={`${place + 1} ${name}`}
        value={shown}
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value;
          onChange(typedNumber(typed.value));
        }}
      />
      {unit}
    </label>
  );
}

/** The number that a text means, with a decimal point or comma; NaN if it means none. */
function typedNumber(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text.replace(',', '.'));
}

type NumberName = 'length' | 'angle' | 'radius' | 'hemHeight' | 'hemClampOffset';

function numberOf(feature: Feature, name: NumberName): number {
  return (feature as Partial<Record<NumberName, number>>)[name] ?? 0;
}

/** The name is one of this type of feature, by NUMBERS. */
function withNumber(feature: Feature, name: NumberName, value: number): Feature {
  return { ...feature, [name]: value } as Feature;
}
