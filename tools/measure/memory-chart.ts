import { type StraightLine, straightLine } from './straight-line.ts';

/** Memory at one moment, in MiB. */
export interface MemorySample {
  readonly minutes: number;
  readonly residentMiB: number;
  readonly heapMiB: number;
  /** Pages of the heap, used or not. */
  readonly heapPagesMiB: number;
  /** Buffers beside the heap. */
  readonly externalMiB: number;
  /** Processors that the gateway used since the sample before. */
  readonly processors: number;
  /** Statuses of machines without an answer so far. */
  readonly unanswered: number;
  /** The fault at that time. */
  readonly fault: string;
}

type Series = 'residentMiB' | 'heapMiB';

const WIDTH = 1_000;
const HEIGHT = 420;
const LEFT = 60;
const BOTTOM = 380;
const TOP = 40;
const COLOURS: Readonly<Record<Series, string>> = { residentMiB: '#1f5fa8', heapMiB: '#2f7d4f' };
const NAMES: Readonly<Record<Series, string>> = { residentMiB: 'resident', heapMiB: 'heap in use' };

/**
 * The line through the means of whole rounds of faults after the warm-up. Samples of one round depend on each other and
 * on the fault: a line through them all would claim a smaller error than it has.
 */
export function trend(samples: readonly MemorySample[], series: Series, warmUpMinutes: number): StraightLine {
  const settled = samples.filter(({ minutes }) => minutes >= warmUpMinutes);
  return straightLine(wholeRounds(settled).map((round) => ({ x: mean(round, 'minutes'), y: mean(round, series) })));
}

/** A round ends when its first fault comes again. */
function wholeRounds(samples: readonly MemorySample[]): readonly (readonly MemorySample[])[] {
  const starts = samples.flatMap(({ fault }, index) => {
    return fault === samples[0]?.fault && fault !== samples[index - 1]?.fault ? [index] : [];
  });
  return starts.slice(0, -1).map((start, round) => samples.slice(start, starts[round + 1]));
}

function mean(samples: readonly MemorySample[], field: 'minutes' | Series): number {
  return samples.reduce((sum, sample) => sum + sample[field], 0) / samples.length;
}

export function slopeText({ slope, slopeError }: StraightLine): string {
  if (Number.isNaN(slope)) return 'no trend: too few whole rounds of faults';
  return `${(slope * 60).toFixed(1)} ± ${(slopeError * 60).toFixed(1)} MiB an hour`;
}

/** The curves and their trends as an SVG. */
export function memoryChart(samples: readonly MemorySample[], warmUpMinutes: number): string {
  const minutes = samples.at(-1)?.minutes ?? 1;
  const top = Math.max(...samples.map(({ residentMiB }) => residentMiB)) * 1.1;
  const x = (at: number) => LEFT + (at / minutes) * (WIDTH - LEFT - 20);
  const y = (mib: number) => BOTTOM - (mib / top) * (BOTTOM - TOP);
  const grid = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const [mib, at] = [part * top, part * minutes];
    return `<path d="M${LEFT} ${y(mib)}H${WIDTH - 20}" stroke="#ddd"/><text x="${LEFT - 8}" y="${y(mib) + 4}" text-anchor="end">${mib.toFixed(0)}</text><text x="${x(at)}" y="${BOTTOM + 18}" text-anchor="middle">${at.toFixed(0)} min</text>`;
  });
  const curves = (['residentMiB', 'heapMiB'] as const).map((series, index) => {
    const line = trend(samples, series, warmUpMinutes);
    const points = samples.map((sample) => `${x(sample.minutes).toFixed(1)},${y(sample[series]).toFixed(1)}`);
    const at = (time: number) => `${x(time)} ${y(line.start + line.slope * time)}`;
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${COLOURS[series]}" stroke-width="1.5"/>
<path d="M${at(warmUpMinutes)}L${at(minutes)}" stroke="${COLOURS[series]}" stroke-dasharray="6 4"/>
<text x="${LEFT + index * 460}" y="20" fill="${COLOURS[series]}">${NAMES[series]} (MiB): ${slopeText(line)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="13"><rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>${grid.join('')}${curves.join('\n')}</svg>\n`;
}
