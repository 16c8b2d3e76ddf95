import type { SumsView } from '../../../flows/production/production-views.ts';
import { number, wholePercent } from '../../show/format.ts';
import { words } from '../../words/words.ts';
import type { Period } from './choice.ts';

/** Scrap by all pieces; null without any. */
export function scrapShare({ goodParts, badParts }: Pick<SumsView, 'goodParts' | 'badParts'>): number | null {
  return goodParts + badParts === 0 ? null : badParts / (goodParts + badParts);
}

/** A share as `76%`, or a dash. */
export function shareText(share: number | null): string {
  return share === null ? '–' : wholePercent(share);
}

/** Good pieces against the target: `▼ 92 behind`. Null: it has none. */
export function Difference({ sums }: { readonly sums: SumsView }) {
  const { behind, above, onTarget } = words.value.production;
  if (sums.targetParts === null) return null;
  const difference = sums.targetedGoodParts - sums.targetParts;
  if (difference === 0) return <span>{onTarget}</span>;
  return (
    <span class={difference < 0 ? 'behind' : undefined}>
      <svg class="tri" aria-hidden="true" viewBox="0 0 10 10">
        <path d={difference < 0 ? 'M0 1.5h10L5 9.5z' : 'M0 8.5h10L5 .5z'} />
      </svg>
      {difference < 0 ? behind(number(-difference)) : above(number(difference))}
    </span>
  );
}

/** OEE with its three factors; without a rate what is known, and what is missing in words. */
export function Oee({ sums }: { readonly sums: SumsView }) {
  const texts = words.value.production;
  const { oeeIndex, availability, effectiveness, qualityRatio, ratedParts, unratedPartIds } = sums;
  const pieces = sums.goodParts + sums.badParts;
  if (oeeIndex === null) {
    const known = availability === null || qualityRatio === null ? null : availability * qualityRatio;
    return (
      <>
        <span class="big lead">{known === null ? '–' : `${texts.aTimesQ} ${wholePercent(known)}`}</span>
        {pieces > 0 && <small>{missing(unratedPartIds)}</small>}
      </>
    );
  }
  const factors = [availability, effectiveness, qualityRatio].map((share) => number((share ?? 0) * 100, 0));
  return (
    <>
      <span class="big">{wholePercent(oeeIndex)}</span>
      <small>{factors.join(' × ')}</small>
      {(effectiveness ?? 0) > 1 && <small>{texts.rateTooLow}</small>}
      {ratedParts < pieces && <small>{texts.rateFor(wholePercent(ratedParts / pieces))}</small>}
    </>
  );
}

function missing(partIds: readonly string[]): string {
  const { noRate, noRates, noPart } = words.value.production;
  const [first, ...others] = partIds;
  if (first === undefined) return noPart;
  return others.length === 0 ? noRate(first) : noRates(partIds.length);
}

/** `4,812 good today, 212 behind target`. */
export function headline({ goodParts, targetParts, targetedGoodParts }: SumsView, period: Period): string {
  const texts = words.value.production;
  const made = texts.made(number(goodParts), texts.when(period));
  if (targetParts === null) return made;
  const difference = targetedGoodParts - targetParts;
  if (difference === 0) return `${made}, ${texts.onTarget}`;
  return `${made}, ${difference < 0 ? texts.behindTarget(number(-difference)) : texts.aboveTarget(number(difference))}`;
}
