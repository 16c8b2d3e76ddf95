import { FileLink } from '../../show/file-link.tsx';
import { number } from '../../show/format.ts';
import { words } from '../../words/words.ts';
import { type Bucket, bandOf, extentOf, lineOf, MOST_MISSING, type Range, roundAxis, runsOf } from './buckets.ts';
import { type Curve, PARTS, type Window } from './load-curves.ts';

export const WIDTH = 1_000;
const HEIGHT = 110;

/** A stop, from one share of the width to another. */
export interface StopBand {
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly isOpen: boolean;
}

interface WaveProps {
  readonly curve: Curve;
  readonly window: Window;
  /** The typed range of the axis; null: the values decide. */
  readonly typed: Range | null;
  /** Whether the axis holds the limits. */
  readonly showsLimits: boolean;
  readonly stops: readonly StopBand[];
  /** A share of the width. */
  readonly cursor: number;
  readonly onPoint: (event: PointerEvent) => void;
  /** Every value of the time, as a file. */
  readonly csv: string;
}

/** The values at a time; null if none lies near. */
export function bucketAt(buckets: readonly Bucket[], atMs: number, { fromMs, toMs }: Window): Bucket | null {
  const found = buckets.filter(({ time }) => Date.parse(time) <= atMs).at(-1);
  const longestMs = ((toMs - fromMs) / PARTS) * MOST_MISSING;
  return found === undefined || atMs - Date.parse(found.time) > longestMs ? null : found;
}

/** `184.3 ft/min` */
export function valueText(bucket: Bucket | null, { unit }: Curve): string {
  return bucket === null ? '–' : `${number(bucket.mean, 1)} ${unit}`.trim();
}

/** A variable with its own axis: the mean as a line, the least and greatest as a band, limits, stops and the cursor. */
export function Wave({ curve, window, typed, showsLimits, stops, cursor, onPoint, csv }: WaveProps) {
  const { label, buckets, limits } = curve;
  const { fromMs, toMs } = window;
  const texts = words.value.variables;
  const extent = extentOf(buckets);
  const axis = typed ?? axisOf(extent, showsLimits ? limits.map(({ value }) => value) : []);
  const share = (value: number) => (value - axis.low) / (axis.high - axis.low);
  const y = (value: number) => HEIGHT - share(value) * HEIGHT;
  const scales = { x: (time: string) => ((Date.parse(time) - fromMs) / (toMs - fromMs)) * WIDTH, y };
  const runs = runsOf(buckets, (toMs - fromMs) / PARTS);
  const shownLimits = limits.filter(({ value }) => value >= axis.low && value <= axis.high);
  return (
    <div class="wave">
      <div class="wave-name">
        <b>{label}</b>
        <b class="h3 num">{valueText(bucketAt(buckets, fromMs + cursor * (toMs - fromMs), window), curve)}</b>
        <span class="small dim num">
          {extent !== null && texts.fromTo(number(extent.low, 1), number(extent.high, 1))}
        </span>
        <FileLink path={csv} class="small" label={texts.csv(label)}>
          CSV
        </FileLink>
      </div>
      <div class="wave-axis small dim num" aria-hidden="true">
        {[axis.high, (axis.high + axis.low) / 2, axis.low].map((value) => (
          <span key={value}>{number(value, 2)}</span>
        ))}
      </div>
      <div class="wave-plot" onPointerDown={onPoint} onPointerMove={onPoint}>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {stops.map(({ key, from, to }) => (
            <rect key={key} class="f-soft" x={from * WIDTH} width={(to - from) * WIDTH} height={HEIGHT} />
          ))}
          <path class="g-line" d={`M0 0H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT}H${WIDTH}`} />
          <path class="g-env" d={bandOf(runs, scales)} />
          <path class="g-lim" d={shownLimits.map(({ value }) => `M0 ${y(value)}H${WIDTH}`).join('')} />
          <path class="g-cum" d={lineOf(runs, scales)} />
          <path class="g-cursor" d={`M${cursor * WIDTH} 0V${HEIGHT}`} />
        </svg>
        {shownLimits.map(({ value }) => (
          <span key={value} class="wave-limit" style={{ bottom: `${share(value) * 100}%` }}>
            {texts.limit(number(value))}
          </span>
        ))}
      </div>
    </div>
  );
}

function axisOf(extent: Range | null, limits: readonly number[]): Range {
  const values = [...limits, ...(extent === null ? [] : [extent.low, extent.high])];
  if (values.length === 0) return { low: 0, high: 1 };
  return roundAxis({ low: Math.min(...values), high: Math.max(...values) });
}
