import type { Signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { now } from '../../show/clock.ts';
import { Icon } from '../../show/icon.tsx';
import { units } from '../../show/measure.ts';
import { language, words } from '../../words/words.ts';
import { FixedNote } from './fixed-note.tsx';
import { type Draft, isZoneOpen, settings } from './settings.ts';

interface PaneProps {
  readonly draft: Signal<Draft>;
  readonly isFixed: boolean;
}

/** Time zone and shifts. */
export function PlantPane({ draft, isFixed }: PaneProps) {
  const { setUp: said } = words.value;
  const { timeZone, shifts } = draft.value;
  const zones = useMemo(() => [...new Set([timeZone, ...Intl.supportedValuesOf('timeZone')])].sort(), []);
  const view = settings.value;
  /** The default zone in whose place that of the browser is suggested. */
  const suggestedFor = view !== null && isZoneOpen(view) && view.timeZone !== timeZone ? view.timeZone : null;
  const change = (changed: Partial<Draft>) => {
    draft.value = { ...draft.value, ...changed };
  };
  return (
    <section class="pane stack" aria-label={said.plant}>
      <h2 class="h3">{said.plant}</h2>
      {isFixed && <FixedNote section="shifts" />}
      <div class="field">
        <label for="time-zone">{said.timeZone}</label>
        <select id="time-zone" disabled={isFixed} onChange={(event) => change({ timeZone: event.currentTarget.value })}>
          {zones.map((zone) => (
            <option key={zone} selected={zone === timeZone}>
              {zone}
            </option>
          ))}
        </select>
        <span class="hint">{said.nowThere(timeIn(timeZone))}</span>
        {suggestedFor !== null && <span class="hint">{said.zoneOfBrowser(suggestedFor)}</span>}
      </div>
      <div class="field">
        <span class="lab">{said.shifts}</span>
        {shifts.map((shift, place) => (
          <ShiftRow
            // Rows have no other name than their place.
            key={`shift-${place + 1}`}
            place={place}
            shift={shift}
            isFixed={isFixed}
            onChange={(changed) =>
              change({ shifts: shifts.map((one) => (one === shift ? { ...shift, ...changed } : one)) })
            }
            onRemove={shifts.length === 1 ? null : () => change({ shifts: shifts.filter((one) => one !== shift) })}
          />
        ))}
        <span class="hint">{said.firstBegins}</span>
      </div>
      {!isFixed && (
        <button
          type="button"
          class="btn"
          onClick={() => change({ shifts: [...shifts, { name: said.shift(shifts.length + 1), start: '22:00' }] })}
        >
          <Icon name="plus" />
          {said.anotherShift}
        </button>
      )}
      <p class="small dim">{said.units[units]}</p>
    </section>
  );
}

type Shift = Draft['shifts'][number];

interface ShiftRowProps {
  readonly shift: Shift;
  readonly place: number;
  readonly isFixed: boolean;
  readonly onChange: (changed: Partial<Shift>) => void;
  /** Null: the last one stays. */
  readonly onRemove: (() => void) | null;
}

function ShiftRow({ shift: { name, start }, place, isFixed, onChange, onRemove }: ShiftRowProps) {
  const { setUp: said } = words.value;
  return (
    <div class="shift-row">
      <input
        aria-label={said.shift(place + 1)}
        value={name}
        disabled={isFixed}
        onInput={(event) => onChange({ name: event.currentTarget.value })}
      />
      <input
        aria-label={said.begins(place + 1)}
        value={start}
        inputMode="numeric"
        disabled={isFixed}
        onInput={(event) => onChange({ start: event.currentTarget.value })}
      />
      {!isFixed && (
        <button
          type="button"
          class="btn btn-icon"
          aria-label={said.removeShift(name)}
          disabled={onRemove === null}
          onClick={onRemove ?? undefined}
        >
          <Icon name="trash" />
        </button>
      )}
    </div>
  );
}

function timeIn(timeZone: string): string {
  const style = { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return new Intl.DateTimeFormat(language.value, style).format(now.value);
}
