import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../domain/time.ts';
import type { Stop } from '../../plant/stops.ts';
import { now } from '../../show/clock.ts';
import { duration, timeToTheSecond } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';

const SECOND_MS = 1_000;
const STEPS_MS = [MINUTE_MS, 10 * SECOND_MS, SECOND_MS] as const;
const LEAST_STEPS = 10;

interface SplitStopProps {
  readonly stop: Stop;
  readonly onSplit: (atMs: number) => void;
}

/** Splits a stop at a whole second: by a bar that is dragged, by a time that is typed, or in steps. */
export function SplitStop({ stop, onSplit }: SplitStopProps) {
  const startMs = Date.parse(stop.startedAt);
  const endMs = stop.endedAt === null ? now.value : Date.parse(stop.endedAt);
  const firstMs = (Math.floor(startMs / SECOND_MS) + 1) * SECOND_MS;
  const lastMs = (Math.ceil(endMs / SECOND_MS) - 1) * SECOND_MS;
  // A stop that lasts grows. Another step would move the chosen time.
  const stepMs = useMemo(() => stepOf(endMs - startMs), []);
  const at = useSignal(firstMs + Math.floor((lastMs - firstMs) / 2 / SECOND_MS) * SECOND_MS);
  /** The typed time while it is not one within the stop; null: the field shows the chosen time. */
  const typed = useSignal<string | null>(null);
  const texts = words.value.stops;
  if (lastMs < firstMs) return null;
  const move = (toMs: number) => {
    typed.value = null;
    at.value = Math.min(lastMs, Math.max(firstMs, toMs));
  };
  const type = (text: string) => {
    const toMs = timeWithin(text, firstMs, lastMs, at.value);
    if (toMs !== null) at.value = toMs;
    typed.value = text;
  };
  const isWrong = typed.value !== null && timeWithin(typed.value, firstMs, lastMs, at.value) === null;
  const shares = texts.splitInto(duration(at.value - startMs), duration(endMs - at.value));
  return (
    <section class="stack" aria-label={texts.splitTitle}>
      <h3 class="h3">{texts.splitTitle}</h3>
      <input
        type="range"
        class="split-bar"
        aria-label={texts.splitBar}
        aria-valuetext={`${timeToTheSecond(at.value)}, ${shares}`}
        min={firstMs}
        max={lastMs}
        step={SECOND_MS}
        value={at.value}
        onInput={({ currentTarget }) => move(currentTarget.valueAsNumber)}
      />
      <p class="row row-flat small dim num">
        <span>{timeToTheSecond(startMs)}</span>
        <span>{timeToTheSecond(endMs)}</span>
      </p>
      <div class="row split">
        <Step icon="minus" label={texts.earlier(duration(stepMs))} onPress={() => move(at.value - stepMs)} />
        <div class="field grow center" data-not-sent-by-scan>
          <label for="split-at">{texts.splitTime}</label>
          <input
            id="split-at"
            class="center"
            autocomplete="off"
            value={typed.value ?? timeToTheSecond(at.value)}
            aria-invalid={isWrong}
            onInput={({ currentTarget }) => type(currentTarget.value)}
            onBlur={() => {
              if (!isWrong) typed.value = null;
            }}
          />
        </div>
        <Step icon="plus" label={texts.later(duration(stepMs))} onPress={() => move(at.value + stepMs)} />
      </div>
      <p class={isWrong ? 'err' : 'bold center'} role="status">
        {isWrong ? texts.notWithin(timeToTheSecond(firstMs), timeToTheSecond(lastMs)) : shares}
      </p>
      <button type="button" class="btn btn-wide" disabled={isWrong} onClick={() => onSplit(at.value)}>
        <Icon name="split" />
        {texts.split(timeToTheSecond(at.value))}
      </button>
    </section>
  );
}

interface StepProps {
  readonly icon: string;
  readonly label: string;
  readonly onPress: () => void;
}

function Step({ icon, label, onPress }: StepProps) {
  return (
    <button type="button" class="btn btn-tall" aria-label={label} onClick={onPress}>
      <Icon name={icon} />
    </button>
  );
}

/** The largest step that a stop has some of. */
function stepOf(durationMs: number): number {
  return STEPS_MS.find((stepMs) => durationMs >= LEAST_STEPS * stepMs) ?? SECOND_MS;
}

/** `14:18`, `14:18:05`, `1418` or `141805`. */
const TIME = /^(\d{1,2})[:.]?(\d{2})(?:[:.]?(\d{2}))?$/;

/**
 * The moment at which the plant's clocks show the typed time, between two moments and next to a third; null: there is
 * none, or it is no time.
 */
function timeWithin(text: string, firstMs: number, lastMs: number, nearMs: number): number | null {
  const [, hours, minutes, seconds = '0'] = TIME.exec(text.trim()) ?? [];
  if (hours === undefined || minutes === undefined) return null;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return null;
  const wantedMs = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * SECOND_MS;
  const days = Math.ceil((lastMs - firstMs) / DAY_MS);
  const found = Array.from({ length: 2 * days + 1 }, (_, place) => shownAt(wantedMs, nearMs + (place - days) * DAY_MS))
    .filter((atMs) => atMs >= firstMs && atMs <= lastMs && dayTimeMs(atMs) === wantedMs)
    .sort((one, other) => Math.abs(one - nearMs) - Math.abs(other - nearMs));
  return found[0] ?? null;
}

/** The moment next to another at which the clocks show the time. A change of the clocks between the two moves it. */
function shownAt(wantedMs: number, nearMs: number): number {
  const atMs = nearMs + shortest(wantedMs - dayTimeMs(nearMs));
  return atMs + shortest(wantedMs - dayTimeMs(atMs));
}

/** The same difference on a clock, by at most half a day. */
function shortest(differenceMs: number): number {
  const forwardMs = ((differenceMs % DAY_MS) + DAY_MS) % DAY_MS;
  return forwardMs > DAY_MS / 2 ? forwardMs - DAY_MS : forwardMs;
}

/** The time that the plant's clocks show, from midnight. */
function dayTimeMs(atMs: number): number {
  const [hours = 0, minutes = 0, seconds = 0] = timeToTheSecond(atMs).split(':').map(Number);
  return hours * HOUR_MS + minutes * MINUTE_MS + seconds * SECOND_MS;
}
