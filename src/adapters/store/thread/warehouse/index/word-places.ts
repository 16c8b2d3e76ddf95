import { firstWhere, type PackedTexts } from './packed-texts.ts';

/**
 * Finds the words with this beginning in a sorted list without repetitions. Gives the first place and the place after
 * the last.
 */
export function placesBeginningWith(words: PackedTexts, beginning: string): readonly [number, number] {
  const first = firstWhere(words.count, (place) => compare(words, place, beginning) >= 0);
  return [first, firstWhere(words.count, (place) => compare(words, place, beginning) > 0)];
}

/** Compares the beginning of a word with the given beginning. */
function compare(words: PackedTexts, place: number, beginning: string): number {
  const length = words.lengthAt(place);
  for (let unit = 0; unit < beginning.length; unit += 1) {
    if (unit >= length) return -1;
    const difference = words.unitAt(place, unit) - beginning.charCodeAt(unit);
    if (difference !== 0) return difference;
  }
  return 0;
}
