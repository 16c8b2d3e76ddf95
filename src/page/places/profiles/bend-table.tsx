import { type Signal, useSignal } from '@preact/signals';
import { bendOfType, directionOf, turnedTo } from '../../../domain/profile/edit-bend.ts';
import {
  type Bend,
  FEATURE_TYPES,
  type Feature,
  isStraight,
  SIDES,
  type Side,
} from '../../../domain/profile/profile.ts';
import { FieldFault, marksOf } from '../../form/field-fault.tsx';
import { Icon } from '../../show/icon.tsx';
import { keptSize, shownSize, sizeUnit, usualSize } from '../../show/profile-size.ts';
import { ScrollSection } from '../../show/scroll-section.tsx';
import { language, words } from '../../words/words.ts';

interface BendTableProps {
  readonly features: readonly Feature[];
  readonly faults: ReadonlyMap<string, string>;
  readonly selected: Signal<number | null>;
  readonly onChange: (features: readonly Feature[]) => void;
}

/**
 * The features in order, each with its numbers, bends with their type and direction. A bend is added and removed
 * together with a straight, because straights and bends must alternate.
 */
export function BendTable({ features, faults, selected, onChange }: BendTableProps) {
  const { profiles: texts } = words.value;
  const place = selected.value;
  const replace = (at: number, feature: Feature) =>
    onChange(features.map((one, index) => (index === at ? feature : one)));
  const add = () => {
    const at = place ?? features.length - 1;
    const after = at % 2 === 0 ? at + 1 : at + 2;
    const straight: Feature = { type: 'Straight', length: usualSize(), hemHeight: 0 };
    onChange([...features.slice(0, after), NEW_BEND, straight, ...features.slice(after)]);
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
                <td>
                  <FeatureFields
                    feature={feature}
                    place={index}
                    faults={faults}
                    onChange={(changed) => replace(index, changed)}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollSection>
      <p class="dim small pad">{texts.sidesHint}</p>
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
const BEND_TYPES = FEATURE_TYPES.filter((type) => type !== 'Straight');

/** The numbers of each type of feature. */
const NUMBERS = {
  Straight: ['length'],
  Angle: ['angle'],
  Radius: ['angle', 'radius'],
  OpenHem: ['hemHeight'],
  ClosedHem: [],
  TearDropHem: ['hemClampOffset'],
} as const satisfies Record<Feature['type'], readonly string[]>;

interface FeatureFieldsProps {
  readonly feature: Feature;
  readonly place: number;
  readonly faults: ReadonlyMap<string, string>;
  readonly onChange: (feature: Feature) => void;
}

function FeatureFields({ feature, place, faults, onChange }: FeatureFieldsProps) {
  const { profiles: texts } = words.value;
  return (
    <div class="bend">
      {isStraight(feature) ? texts.types.Straight : <BendType bend={feature} place={place} onChange={onChange} />}
      <span class="numbers">
        {NUMBERS[feature.type].map((name) => (
          <NumberField
            key={name}
            name={texts.numbers[name]}
            isNamed={name !== 'length' && name !== 'angle'}
            place={place}
            id={`f${place}-${name}`}
            isAngle={name === 'angle'}
            value={numberOf(feature, name)}
            fault={faults.get(`features[${place}].${name}`) ?? null}
            onChange={(value) => onChange(withNumber(feature, name, value))}
          />
        ))}
        {!isStraight(feature) && <Direction bend={feature} place={place} onChange={onChange} />}
      </span>
    </div>
  );
}

interface BendChoiceProps {
  readonly bend: Bend;
  readonly place: number;
  readonly onChange: (bend: Bend) => void;
}

function BendType({ bend, place, onChange }: BendChoiceProps) {
  const { profiles: texts } = words.value;
  const change = (type: Bend['type']) => onChange(bendOfType(bend, type, usualSize() / 2));
  const label = `${place + 1} ${texts.kind}`;
  return <Choice label={label} value={bend.type} values={BEND_TYPES} names={texts.types} onChange={change} />;
}

function Direction({ bend, place, onChange }: BendChoiceProps) {
  const { profiles: texts } = words.value;
  const change = (side: Side) => onChange(turnedTo(bend, side));
  const label = `${place + 1} ${texts.direction}`;
  return <Choice label={label} value={directionOf(bend)} values={SIDES} names={texts.sides} onChange={change} />;
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly values: readonly Value[];
  readonly names: Readonly<Record<Value, string>>;
  readonly onChange: (value: Value) => void;
}

function Choice<Value extends string>({ label, value, values, names, onChange }: ChoiceProps<Value>) {
  return (
    <select
      class="number"
      aria-label={label}
      value={value}
      onChange={({ currentTarget: { selectedIndex } }) => onChange(values[selectedIndex] ?? value)}
    >
      {values.map((one) => (
        <option key={one} value={one}>
          {names[one]}
        </option>
      ))}
    </select>
  );
}

interface NumberFieldProps {
  readonly name: string;
  /** Whether the name is shown; screen readers say it in any case. */
  readonly isNamed: boolean;
  readonly place: number;
  readonly id: string;
  readonly isAngle: boolean;
  readonly value: number;
  readonly fault: string | null;
  readonly onChange: (value: number) => void;
}

/** A number that is typed key by key: `6.` stays as it is typed, and an empty field is no number. */
function NumberField({ name, isNamed, place, id, isAngle, value, fault, onChange }: NumberFieldProps) {
  const typed = useSignal('');
  const meaning = (text: string) => (isAngle ? typedNumber(text) : keptSize(typedNumber(text)));
  // Discard and Undo change the number after it was typed.
  const shown = Object.is(meaning(typed.value), value) ? typed.value : written(isAngle ? value : shownSize(value));
  return (
    <label>
      <span class={isNamed ? 'dim small' : 'sr'}>{name} </span>
      <input
        id={id}
        class="number num"
        inputmode="decimal"
        aria-label={`${place + 1} ${name}`}
        {...marksOf(fault, id)}
        value={shown}
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value;
          onChange(meaning(typed.value));
        }}
      />
      {isAngle ? '°' : ` ${sizeUnit()}`}
      <FieldFault fault={fault} id={id} />
    </label>
  );
}

/** All digits of a number, with the decimal sign of the language. */
function written(value: number): string {
  return language.value === 'de' ? String(value).replace('.', ',') : String(value);
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
