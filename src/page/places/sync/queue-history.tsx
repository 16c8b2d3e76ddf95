import { DAY_MS, HOUR_MS } from '../../../domain/time.ts';
import type { QueueSample } from '../../../flows/local-api/system-ports.ts';
import { now } from '../../show/clock.ts';
import { number, timeOfDay } from '../../show/format.ts';
import { words } from '../../words/words.ts';

const WIDTH = 960;
const HEIGHT = 120;
const SHOWN_MS = DAY_MS;
const HOURS_APART = 6;

/** The queue for the central server over a day. */
export function QueueHistory({ samples }: { readonly samples: readonly QueueSample[] }) {
  const { sync: said } = words.value;
  const peak = samples.reduce<QueueSample | null>((top, one) => (one.depth > (top?.depth ?? 0) ? one : top), null);
  const summary = peak === null ? said.neverWaited : said.peak(number(peak.depth), timeOfDay(peak.at));
  return (
    <section class="pane stack" aria-label={said.overDay}>
      <div class="head head-small">
        <h2 class="h3">{said.overDay}</h2>
        <span class="dim push">{summary}</span>
      </div>
      <svg
        class="queue-history"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${said.overDay}. ${summary}`}
      >
        <path class="grid" d={`M0 4H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT - 4}H${WIDTH}`} />
        <path class="area" d={areaOf(samples, peak?.depth ?? 0, now.value)} />
      </svg>
      <p class="hours small dim" aria-hidden="true">
        {hours(now.value).map((atMs) => (
          <span key={atMs}>{atMs === now.value ? said.now : timeOfDay(atMs)}</span>
        ))}
      </p>
    </section>
  );
}

function areaOf(samples: readonly QueueSample[], peak: number, nowMs: number): string {
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined || peak === 0) return '';
  const x = (at: string) => (WIDTH - ((nowMs - Date.parse(at)) / SHOWN_MS) * WIDTH).toFixed(1);
  const points = samples.map(({ at, depth }) => `${x(at)} ${(HEIGHT - 4 - (depth / peak) * (HEIGHT - 8)).toFixed(1)}`);
  return `M${x(first.at)} ${HEIGHT - 4}L${points.join('L')}L${x(last.at)} ${HEIGHT - 4}Z`;
}

function hours(nowMs: number): readonly number[] {
  return [4, 3, 2, 1, 0].map((steps) => nowMs - steps * HOURS_APART * HOUR_MS);
}
