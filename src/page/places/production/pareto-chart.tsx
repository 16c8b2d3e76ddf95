import type { StopView } from '../../../flows/production/production-views.ts';
import { number } from '../../show/format.ts';
import { words } from '../../words/words.ts';
import { niceTop } from './chart-scale.ts';
import { fillOf } from './group-fill.ts';

const WIDTH = 1_100;
const HEIGHT = 250;
const LEFT = 62;
const RIGHT = 60;
const TOP = 12;
const BASE = 216;
/** Further reasons are in the list alone. */
const MOST_BARS = 15;
const LINES = 4;

/** Bars by reason, the largest first, with the running share of the whole and a mark for the days before. */
export function ParetoChart({ rows, byCount }: { readonly rows: readonly StopView[]; readonly byCount: boolean }) {
  const { chartMeaning } = words.value.production;
  const shown = rows.slice(0, MOST_BARS);
  const amountOf = (row: StopView) => (byCount ? row.count : row.seconds / 3_600);
  const beforeOf = (row: StopView) => (byCount ? (row.countBefore ?? 0) : (row.secondsBefore ?? 0) / 3_600);
  const top = niceTop(Math.max(...shown.flatMap((row) => [amountOf(row), beforeOf(row)])));
  const total = rows.reduce((sum, row) => sum + amountOf(row), 0);
  const step = (WIDTH - LEFT - RIGHT) / shown.length;
  const y = (value: number) => BASE - (value / top) * (BASE - TOP);
  let running = 0;
  const points = shown.map((row, place) => {
    running += amountOf(row);
    return { x: LEFT + step * (place + 0.5), y: BASE - (total === 0 ? 0 : running / total) * (BASE - TOP) };
  });
  return (
    <svg class="plot wide-only" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={chartMeaning}>
      <Grid top={top} unit={(value) => (byCount ? number(value) : `${number(value, 2)} ${words.value.units.hour}`)} />
      {shown.map((row, place) => {
        const { fill, className } = fillOf(row);
        const x = LEFT + step * (place + 0.12);
        const width = step * 0.76;
        return (
          <g key={row.key}>
            <rect
              x={x}
              y={y(amountOf(row))}
              width={width}
              height={BASE - y(amountOf(row))}
              class={className}
              fill={fill}
            />
            {row.secondsBefore !== null && (
              <line class="g-before" x1={x - 3} x2={x + width + 3} y1={y(beforeOf(row))} y2={y(beforeOf(row))} />
            )}
            <text class="tx" x={x + width / 2} y={HEIGHT - 10} text-anchor="middle">
              {place + 1}
            </text>
          </g>
        );
      })}
      <polyline class="g-cum" points={points.map((point) => `${point.x},${point.y}`).join(' ')} />
      {points.map((point) => (
        <circle key={point.x} class="g-dot" cx={point.x} cy={point.y} r="4.5" />
      ))}
    </svg>
  );
}

function Grid({ top, unit }: { readonly top: number; readonly unit: (value: number) => string }) {
  return (
    <>
      {Array.from({ length: LINES + 1 }, (_, line) => {
        const y = BASE - (line / LINES) * (BASE - TOP);
        return (
          <g key={line}>
            <line class={line === 0 ? 'g-axis' : 'g-line'} x1={LEFT} x2={WIDTH - RIGHT} y1={y} y2={y} />
            <text x={LEFT - 8} y={y + 5} text-anchor="end">
              {unit((top * line) / LINES)}
            </text>
            <text x={WIDTH - RIGHT + 8} y={y + 5}>{`${(line * 100) / LINES}%`}</text>
          </g>
        );
      })}
    </>
  );
}
