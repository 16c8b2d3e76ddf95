const MAX_EDITS = 3;
const MAX_NAME_LENGTH = 64;

/** The known name that a mistyped one most likely means, letter case aside; null when none is near. */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length > MAX_NAME_LENGTH) return null;
  const limit = Math.min(MAX_EDITS, Math.ceil(name.length / 3));
  const ranked = known
    .map((candidate) => ({ candidate, edits: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ edits }) => edits <= limit)
    .sort((one, other) => one.edits - other.edits);
  return ranked[0]?.candidate ?? null;
}

/** How many letters have to be put in, taken out or changed to make one text of the other (Levenshtein). */
function editDistance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const change = (previous[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
      current.push(Math.min(change, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[other.length] ?? 0;
}
