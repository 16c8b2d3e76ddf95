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
    const found = editDistance(wanted, candidate.toLowerCase());
    if (found >= distance) continue;
    nearest = candidate;
    distance = found;
  }
  return nearest;
}

/** The number of letters to add, leave out, change, or swap with their neighbour to make one text of the other. */
export function editDistance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const changed = (last[column - 1] ?? 0) + (isSame ? 0 : 1);
      const moved = Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const swapped = isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(changed, moved, swapped));
    }
    beforeLast = last;
    last = current;
  }
  return last[other.length] ?? 0;
}
