/** Names longer than this are not compared letter by letter. */
const MAX_COMPARED_LENGTH = 128;

/** The number of letters by which two names of a length may differ and still count as one mistyped name. */
function tolerance(length: number): number {
  if (length < 4) return 0;
  return length < 8 ? 1 : 2;
}

/** The candidate that a mistyped name, or a name in another case, most likely means; null if no candidate is near. */
export function nearestName(name: string, candidates: Iterable<string>): string | null {
  if (name.length > MAX_COMPARED_LENGTH) return null;
  const wanted = name.toLowerCase();
  let nearest: string | null = null;
  let distance = tolerance(wanted.length) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) >= distance) continue;
    const found = editDistance(wanted, candidate.toLowerCase(), distance);
    if (found >= distance) continue;
    nearest = candidate;
    distance = found;
  }
  return nearest;
}

/**
 * The number of letters to add, leave out, change, or swap with their neighbour to turn one text into the other. The
 * result is `limit` or more if the texts differ by so many. A row has only the cells less than `limit` places beside the
 * diagonal: whole rows took half a second for a thousand long names.
 */
function editDistance(one: string, other: string, limit: number): number {
  const start = firstDifference(one, other);
  const [from, to] = [one.slice(start), other.slice(start)];
  let rows: Rows = {
    last: Array.from({ length: 2 * limit - 1 }, (_, place) => Math.abs(place - limit + 1)),
    beforeLast: [],
  };
  for (let row = 1; row <= from.length; row++) {
    const current = nextRow(from, to, row, rows, limit);
    if (Math.min(...current) >= limit) return limit;
    rows = { last: current, beforeLast: rows.last };
  }
  return rows.last[to.length - from.length + limit - 1] ?? limit;
}

interface Rows {
  readonly last: readonly number[];
  readonly beforeLast: readonly number[];
}

function nextRow(one: string, other: string, row: number, { last, beforeLast }: Rows, limit: number): number[] {
  const current: number[] = [];
  for (let place = 0; place < last.length; place++) {
    const column = row + place - limit + 1;
    const changed = (last[place] ?? limit) + (one[row - 1] === other[column - 1] ? 0 : 1);
    const moved = Math.min(last[place + 1] ?? limit, current[place - 1] ?? limit) + 1;
    const swapped = isSwapped(one, other, row, column) ? (beforeLast[place] ?? limit) + 1 : limit;
    current.push(column < 0 ? limit : Math.min(changed, moved, swapped));
  }
  return current;
}

/** Whether the letters at these places stand the other way round in the other text. */
function isSwapped(one: string, other: string, row: number, column: number): boolean {
  return row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
}

/** The number of letters at the beginning that both texts have. */
function firstDifference(one: string, other: string): number {
  let index = 0;
  while (index < one.length && one[index] === other[index]) index++;
  return index;
}
