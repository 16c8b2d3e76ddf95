import type { Signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { FieldFault, marksOf } from '../../form/field-fault.tsx';
import type { FormRefusal } from '../../form/refusal.ts';
import { now } from '../../show/clock.ts';
import { Icon } from '../../show/icon.tsx';
import { units } from '../../show/measure.ts';
import { language, words } from '../../words/words.ts';
import { FixedNote } from './fixed-note.tsx';
import { type Draft, isZoneOpen, settings, shiftField } from './settings.ts';
import { DaysOff, ShiftPlan } from './work-plan-fields.tsx';

interface PaneProps {
  readonly draft: Signal<Draft>;
  readonly isFixed: boolean;
  readonly refusal: FormRefusal;
}

/** Time zone and shifts. */
export function PlantPane({ draft, isFixed, refusal }: PaneProps) {
  const { setUp: texts } = words.value;
  const { shifts } = draft.value;
  const change = (changed: Partial<Draft>) => {
    draft.value = { ...draft.value, ...changed };
  };
  const remove = (shift: Shift) => {
    // The faults name the shifts by their places.
    refusal.tell(null);
    change({ shifts: shifts.filter((one) => one !== shift) });
  };
  return (
    <section class="pane stack" aria-label={texts.plant}>
      <h2 class="h3">{texts.plant}</h2>
      {isFixed && <FixedNote section="shifts" />}
      <ZoneField draft={draft} isFixed={isFixed} refusal={refusal} />
      <div class="field">
        <span class="lab">{texts.shifts}</span>
        {shifts.map((shift, place) => (
          <ShiftRow
            // Rows have no other name than their place.
            key={`shift-${place + 1}`}
            place={place}
            shiftCount={shifts.length}
            shift={shift}
            isFixed={isFixed}
            refusal={refusal}
            onChange={(changed) =>
              change({ shifts: shifts.map((one) => (one === shift ? { ...shift, ...changed } : one)) })
            }
            onRemove={shifts.length === 1 ? null : () => remove(shift)}
          />
        ))}
        <span class="hint">{texts.firstBegins}</span>
      </div>
      {!isFixed && (
        <button
          type="button"
          class="btn"
          onClick={() => change({ shifts: [...shifts, { name: texts.shift(shifts.length + 1), start: '22:00' }] })}
        >
          <Icon name="plus" />
          {texts.anotherShift}
        </button>
      )}
      <DaysOff draft={draft} isFixed={isFixed} refusal={refusal} />
      <p class="small dim">{texts.units[units]}</p>
    </section>
  );
}

function ZoneField({ draft, isFixed, refusal }: PaneProps) {
  const { setUp: texts } = words.value;
  const { timeZone } = draft.value;
  const zones = useMemo(() => [...new Set([timeZone, ...Intl.supportedValuesOf('timeZone')])].sort(), []);
  const fault = refusal.shown?.ofField.get('shifts.timeZone') ?? null;
  const view = settings.value;
  /** The default zone in whose place that of the browser is suggested. */
  const suggestedFor = view !== null && isZoneOpen(view) && view.timeZone !== timeZone ? view.timeZone : null;
  return (
    <div class="field">
      <label for="time-zone">{texts.timeZone}</label>
      <select
        id="time-zone"
        disabled={isFixed}
        {...marksOf(fault, 'time-zone')}
        onChange={({ currentTarget: { value } }) => {
          refusal.forget('shifts.timeZone');
          draft.value = { ...draft.value, timeZone: value };
        }}
      >
        {zones.map((zone) => (
          <option key={zone} selected={zone === timeZone}>
            {zone}
          </option>
        ))}
      </select>
      <FieldFault fault={fault} id="time-zone" />
      <span class="hint">{texts.nowThere(timeIn(timeZone))}</span>
      {suggestedFor !== null && <span class="hint">{texts.zoneOfBrowser(suggestedFor)}</span>}
    </div>
  );
}

type Shift = Draft['shifts'][number];

interface ShiftRowProps {
  readonly shift: Shift;
  readonly place: number;
  /** Another number of shifts: the typed breaks are read anew. */
  readonly shiftCount: number;
  readonly isFixed: boolean;
  readonly refusal: FormRefusal;
  readonly onChange: (changed: Partial<Shift>) => void;
  /** Null: the last one stays. */
  readonly onRemove: (() => void) | null;
}

function ShiftRow({ shift, place, shiftCount, isFixed, refusal, onChange, onRemove }: ShiftRowProps) {
  const { setUp: texts } = words.value;
  const partOf = (part: 'name' | 'start') => {
    const field = shiftField(place, part);
    const id = `shift-${place}-${part}`;
    const fault = refusal.shown?.ofField.get(field) ?? null;
    const onInput = ({ currentTarget: { value } }: { readonly currentTarget: HTMLInputElement }) => {
      refusal.forget(field);
      onChange({ [part]: value });
    };
    return {
      fault: <FieldFault fault={fault} id={id} />,
      input: { id, value: shift[part], disabled: isFixed, onInput, ...marksOf(fault, id) },
    };
  };
  const [name, start] = [partOf('name'), partOf('start')];
  return (
    <>
      <div class="shift-row">
        <input aria-label={texts.shift(place + 1)} {...name.input} />
        <input aria-label={texts.begins(place + 1)} inputMode="numeric" {...start.input} />
        {!isFixed && (
          <button
            type="button"
            class="btn btn-icon"
            aria-label={texts.removeShift(shift.name)}
            disabled={onRemove === null}
            onClick={onRemove ?? undefined}
          >
            <Icon name="trash" />
          </button>
        )}
      </div>
      {name.fault}
      {start.fault}
      <ShiftPlan key={shiftCount} shift={shift} place={place} isFixed={isFixed} refusal={refusal} onChange={onChange} />
    </>
  );
}

function timeIn(timeZone: string): string {
  const style = { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return new Intl.DateTimeFormat(language.value, style).format(now.value);
}
