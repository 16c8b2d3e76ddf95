import type { Incident } from '../ports.ts';

/** One fault of a subject with its number. Times are wall-clock milliseconds. */
export interface DistinctFault {
  /** The newest occurrence in words. */
  readonly detail: string;
  /** The same without the parts that differ from message to message. */
  readonly shape: string;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly address: string | null;
  /** The machine that was probably meant. */
  readonly meantFor: string | null;
  readonly example: string | null;
}

/** The number of distinct faults of one subject; beyond it the one that did not come for the longest is forgotten. */
const MAX_FAULTS_PER_SUBJECT = 8;

/** Numbers and quoted texts differ from message to message; the fault is the same. */
const CHANGING = /"(?:[^"\\]|\\.)*"|\d+/g;

export interface NotedFaults {
  /** The newest first. */
  readonly faults: readonly DistinctFault[];
  readonly isNew: boolean;
}

/** The faults of a subject after one more. */
export function noteFault(faults: readonly DistinctFault[], incident: Incident, wallMs: number): NotedFaults {
  const { detail, address, meantFor, example } = incident;
  const same = faults.find((fault) => fault.detail === detail);
  const shape = same?.shape ?? detail.replace(CHANGING, '#');
  const known = same ?? faults.find((fault) => fault.shape === shape);
  const noted: DistinctFault = {
    detail,
    shape,
    count: (known?.count ?? 0) + 1,
    firstAt: known?.firstAt ?? wallMs,
    lastAt: wallMs,
    address: address ?? known?.address ?? null,
    meantFor: meantFor ?? known?.meantFor ?? null,
    example: example ?? known?.example ?? null,
  };
  const others = faults.filter((fault) => fault !== known);
  return { faults: [noted, ...others].slice(0, MAX_FAULTS_PER_SUBJECT), isNew: known === undefined };
}

/** Characters that it holds. */
export function faultLength({ detail, shape, address, meantFor, example }: DistinctFault): number {
  return detail.length + shape.length + (address?.length ?? 0) + (meantFor?.length ?? 0) + (example?.length ?? 0);
}
