import type { Signal } from '@preact/signals';
import { WEEKDAYS, type Weekday } from '../../../domain/shift/work-plan.ts';
import { DAY_MS } from '../../../domain/time.ts';
import type { ShiftSetting } from '../../../flows/settings/settings-ports.ts';
import { FieldFault, marksOf } from '../../form/field-fault.tsx';
import type { FormRefusal } from '../../form/refusal.ts';
import { language, words } from '../../words/words.ts';
import { type Draft, shiftField } from './settings.ts';

/** A Monday. */
const MONDAY_MS = Date.UTC(2026, 0, 5);

interface ShiftPlanProps {
  readonly shift: ShiftSetting;
  readonly place: number;
  readonly isFixed: boolean;
  readonly refusal: FormRefusal;
  readonly onChange: (changed: Partial<ShiftSetting>) => void;
}

/** The weekdays of a shift, and its breaks. */
export function ShiftPlan({ shift, place, isFixed, refusal, onChange }: ShiftPlanProps) {
  const { setUp: texts } = words.value;
  const { days = WEEKDAYS, breaks = [] } = shift;
  const field = shiftField(place, 'breaks');
  const id = `shift-${place}-breaks`;
  const fault = refusal.shown?.ofField.get(field) ?? null;
  const toggle = (day: Weekday) => {
    const chosen = WEEKDAYS.filter((one) => days.includes(one) !== (one === day));
    // A shift without a day is no shift.
    if (chosen.length > 0) onChange({ days: chosen.length === WEEKDAYS.length ? undefined : chosen });
  };
  return (
    <>
      <div class="tabs" role="group" aria-label={texts.weekdays(place + 1)}>
        {WEEKDAYS.map((day, index) => (
          <button
            type="button"
            class="tab"
            key={day}
            aria-pressed={days.includes(day)}
            disabled={isFixed}
            onClick={() => toggle(day)}
          >
            {dayName(index)}
          </button>
        ))}
      </div>
      <input
        aria-label={texts.breaks(place + 1)}
        placeholder={texts.breaksHint}
        defaultValue={breaks.map(({ start, minutes }) => `${start} ${minutes}`).join(', ')}
        disabled={isFixed}
        id={id}
        {...marksOf(fault, id)}
        onInput={({ currentTarget: { value } }) => {
          refusal.forget(field);
          onChange({ breaks: breaksOf(value) });
        }}
      />
      <FieldFault fault={fault} id={id} />
    </>
  );
}

interface DaysOffProps {
  readonly draft: Signal<Draft>;
  readonly isFixed: boolean;
  readonly refusal: FormRefusal;
}

/** The dates on which nothing is planned, one a line. */
export function DaysOff({ draft, isFixed, refusal }: DaysOffProps) {
  const { setUp: texts } = words.value;
  const fault = refusal.shown?.ofField.get('shifts.daysOff') ?? null;
  return (
    <div class="field">
      <label for="days-off">{texts.daysOff}</label>
      <textarea
        id="days-off"
        rows={3}
        placeholder={texts.daysOffHint}
        defaultValue={(draft.value.daysOff ?? []).map(({ date, name }) => `${date} ${name}`).join('\n')}
        disabled={isFixed}
        {...marksOf(fault, 'days-off')}
        onInput={({ currentTarget: { value } }) => {
          refusal.forget('shifts.daysOff');
          draft.value = { ...draft.value, daysOff: partsOf(value, /\n/).map(dayOffOf) };
        }}
      />
      <FieldFault fault={fault} id="days-off" />
    </div>
  );
}

/** `09:00 15, 12:00 30`; the gateway says what is wrong with another text. */
function breaksOf(typed: string): ShiftSetting['breaks'] {
  const breaks = partsOf(typed, /[,;]/).map((text) => {
    const [start = '', minutes = ''] = text.split(/\s+/);
    return { start, minutes: Number(minutes) };
  });
  return breaks.length === 0 ? undefined : breaks;
}

/** `2026-12-25 Christmas` */
function dayOffOf(line: string): { readonly date: string; readonly name: string } {
  const [date = '', ...name] = line.split(/\s+/);
  return { date, name: name.join(' ') || date };
}

function partsOf(typed: string, between: RegExp): readonly string[] {
  return typed
    .split(between)
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

function dayName(index: number): string {
  return new Date(MONDAY_MS + index * DAY_MS).toLocaleDateString(language.value, { weekday: 'short', timeZone: 'UTC' });
}
