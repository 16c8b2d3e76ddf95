/** A stretch of time from `from` to just before `to`, in wall-clock milliseconds. Lists of them are sorted and apart. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** Sorts stretches, and joins those that touch or overlap. */
export function joined(spans: readonly TimeSpan[]): readonly TimeSpan[] {
  const result: { from: number; to: number }[] = [];
  for (const { from, to } of [...spans].sort((one, other) => one.from - other.from)) {
    const last = result.at(-1);
    if (to <= from) continue;
    if (last === undefined || from > last.to) result.push({ from, to });
    else last.to = Math.max(last.to, to);
  }
  return result;
}

/** The parts of `spans` that lie in none of `others`. */
export function without(spans: readonly TimeSpan[], others: readonly TimeSpan[]): readonly TimeSpan[] {
  const result: TimeSpan[] = [];
  let first = 0;
  for (const { from, to } of spans) {
    let start = from;
    while ((others[first]?.to ?? Number.POSITIVE_INFINITY) <= from) first += 1;
    for (let place = first; place < others.length; place += 1) {
      const other = others[place];
      if (other === undefined || other.from >= to) break;
      if (other.from > start) result.push({ from: start, to: other.from });
      start = Math.max(start, other.to);
    }
    if (start < to) result.push({ from: start, to });
  }
  return result;
}

/** The parts of `spans` from `from` to `to`. */
export function clipped(spans: readonly TimeSpan[], { from, to }: TimeSpan): readonly TimeSpan[] {
  return spans.flatMap((span) => {
    const [start, end] = [Math.max(span.from, from), Math.min(span.to, to)];
    return start < end ? [{ from: start, to: end }] : [];
  });
}

export function lengthMs(spans: readonly TimeSpan[]): number {
  return spans.reduce((sum, { from, to }) => sum + to - from, 0);
}
