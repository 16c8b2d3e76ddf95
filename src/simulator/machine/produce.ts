import { MINUTE_MS } from '../../domain/time.ts';
import type { Random } from '../random.ts';
import type { SimulatedState } from './simulated-state.ts';

/** The first pieces of a coil carry its outer wraps. */
const SCRAP_PARTS_AT_COIL_START = 2;
const SCRAP_SHARE = 0.004;

/**
 * The pieces that a running machine forms and cuts in `elapsedMs` at its present speed: a cycle is a cut, a cut is a part. The first
 * pieces of a coil and the tail that is left of it are scrap.
 */
export function produce(state: SimulatedState, elapsedMs: number, random: Random): SimulatedState {
  const { coil, job, counters, readings } = state;
  const { lengthFt } = job.part;
  const fedFt = Math.min(coil.remainingFt, (readings.lineSpeed * elapsedMs) / MINUTE_MS);
  const formedFt = coil.uncutFt + fedFt;
  const remainingFt = coil.remainingFt - fedFt;
  const cuts = Math.min(job.partsLeft, Math.floor(formedFt / lengthFt));
  const scrap = countScrap(coil.partsCut, cuts, random);
  const tail = remainingFt === 0 ? 1 : 0;
  return {
    ...state,
    counters: {
      cycle: counters.cycle + cuts + tail,
      goodPart: counters.goodPart + cuts - scrap,
      badPart: counters.badPart + scrap + tail,
    },
    coil: { remainingFt, uncutFt: tail === 1 ? 0 : formedFt - cuts * lengthFt, partsCut: coil.partsCut + cuts },
    job: { ...job, partsLeft: job.partsLeft - cuts },
  };
}

function countScrap(partsCutBefore: number, cuts: number, random: Random): number {
  let scrap = 0;
  for (let part = partsCutBefore; part < partsCutBefore + cuts; part++) {
    if (part < SCRAP_PARTS_AT_COIL_START || random() < SCRAP_SHARE) scrap++;
  }
  return scrap;
}
