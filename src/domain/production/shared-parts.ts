/**
 * Shares whole parts by weights, so that the shares are whole and add up. Parts that are left over go to the largest
 * remainders; without any weight all go to the first.
 */
export function shared(parts: number, weights: readonly number[]): readonly number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return weights.map((_, place) => (place === 0 ? parts : 0));
  const exact = weights.map((weight) => (parts * weight) / total);
  const shares = exact.map(Math.floor);
  const left = parts - shares.reduce((sum, share) => sum + share, 0);
  const byRemainder = exact
    .map((share, place) => ({ place, remainder: share - Math.floor(share) }))
    .sort((one, other) => other.remainder - one.remainder || one.place - other.place);
  for (const { place } of byRemainder.slice(0, left)) shares[place] = (shares[place] ?? 0) + 1;
  return shares;
}
