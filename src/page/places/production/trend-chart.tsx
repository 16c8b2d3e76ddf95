import { useSignal } from '@preact/signals';
import { productionDay } from '../../show/format.ts';
import { words } from '../../words/words.ts';
import { niceTop } from './chart-scale.ts';

interface TrendPoint {
  /** A production day. */
  readonly date: string;
  readonly value: number | null;
}

interface TrendChartProps {
  readonly title: string;
  readonly points: readonly TrendPoint[];
  readonly text: (value: number) => string;
  /** The end of the axis; without it the values decide. */
  readonly top?: number;
}

const WIDTH = 520;
const HEIGHT = 150;
const LEFT = 66;
const BASE = 118;
const TOP = 10;
const MEAN_OF = 7;

/**
 * One value a day as a dot, and the mean of the last seven as a line. A slider below moves the cursor, by touch and by
 * keys; readers get a table.
 */
export function TrendChart({ title, points, text, top }: TrendChartProps) {
  const cursor = useSignal<number | null>(null);
  const values = points.flatMap(({ value }) => value ?? []);
  const end = top ?? niceTop(Math.max(0, ...values));
  const place = Math.min(cursor.value ?? points.length - 1, points.length - 1);
  const chosen = points[place];
  const x = (index: number) => LEFT + (index / Math.max(1, points.length - 1)) * (WIDTH - LEFT - 8);
  const y = (value: number) => BASE - (Math.min(value, end) / end) * (BASE - TOP);
  const shown =
    chosen === undefined ? '' : `${productionDay(chosen.date)}: ${chosen.value === null ? '–' : text(chosen.value)}`;
  return (
    <figure class="trend">
      <figcaption>
        <b>{title}</b> <span class="num dim">{shown}</span>
      </figcaption>
      <svg class="plot" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line
              class={share === 0 ? 'g-axis' : 'g-line'}
              x1={LEFT}
              x2={WIDTH}
              y1={y(end * share)}
              y2={y(end * share)}
            />
            <text x={LEFT - 8} y={y(end * share) + 5} text-anchor="end">
              {text(end * share)}
            </text>
          </g>
        ))}
        {points.map(({ date, value }, index) =>
          value === null ? null : <circle key={date} class="f-short" cx={x(index)} cy={y(value)} r="3.5" />,
        )}
        <polyline
          class="g-cum"
          points={means(points)
            .map(([index, mean]) => `${x(index)},${y(mean)}`)
            .join(' ')}
        />
        <line class="g-cursor" x1={x(place)} x2={x(place)} y1={TOP} y2={BASE} />
        <Dates points={points} x={x} />
      </svg>
      <input
        type="range"
        class="split-bar"
        aria-label={`${title}: ${words.value.production.cursor}`}
        aria-valuetext={shown}
        min={0}
        max={points.length - 1}
        value={place}
        onInput={({ currentTarget }) => (cursor.value = currentTarget.valueAsNumber)}
      />
      <table class="sr">
        <caption>{title}</caption>
        <tbody>
          {points.map(({ date, value }) => (
            <tr key={date}>
              <th scope="row">{productionDay(date)}</th>
              <td>{value === null ? '–' : text(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

/** The mean of the last seven days that have a value. */
function means(points: readonly TrendPoint[]): readonly (readonly [index: number, mean: number])[] {
  return points.flatMap(({ value }, index) => {
    if (value === null) return [];
    const last = points
      .slice(0, index + 1)
      .flatMap((point) => point.value ?? [])
      .slice(-MEAN_OF);
    return [[index, last.reduce((sum, one) => sum + one, 0) / last.length] as const];
  });
}

function Dates({ points, x }: { readonly points: readonly TrendPoint[]; readonly x: (index: number) => number }) {
  const last = points.length - 1;
  const places = [...new Set([0, Math.round(last / 2), last])];
  return (
    <>
      {places.map((index) => (
        <text
          key={index}
          x={x(index)}
          y={HEIGHT - 8}
          text-anchor={index === 0 ? 'start' : index === last ? 'end' : 'middle'}
        >
          {productionDay(points[index]?.date ?? '')}
        </text>
      ))}
    </>
  );
}
