import { firstWhere, type PackedTexts } from './packed-texts.ts';

/** Of words in order, each once, the places of those that begin so: from the first up to, not with, the second. */
export function placesBeginningWith(words: PackedTexts, beginning: string): readonly [number, number] {
  const first = firstWhere(words.count, (place) => compare(words, place, beginning) >= 0);
  return [first, firstWhere(words.count, (place) => compare(words, place, beginning) > 0)];
}

/** How a word, as far as the beginning is long, sorts against it. */
function compare(words: PackedTexts, place: number, beginning: string): number {
  const length = words.lengthAt(place);
  for (let unit = 0; unit < beginning.length; unit += 1) {
    if (unit >= length) return -1;
    const difference = words.unitAt(place, unit) - beginning.charCodeAt(unit);
    if (difference !== 0) return difference;
  }
  return 0;
}
