import type { Incident } from '../ports.ts';

/** One fault of a subject with its number. Times are wall-clock milliseconds. */
export interface DistinctFault {
  /** The newest occurrence in words. */
  readonly detail: string;
  /** The words without the parts that differ from message to message. */
  readonly shape: string;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly address: string | null;
  /** The machine that was probably meant. */
  readonly meantFor: string | null;
  /** The TopicRoot that the device seems to have, where it is not that of its machine. */
  readonly topicRoot: string | null;
  readonly example: string | null;
  /** A person dismissed it; the same fault with something new in it is another one (D-47). */
  readonly isDismissed: boolean;
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
  const { detail, address, meantFor, topicRoot, example } = incident;
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
    topicRoot: topicRoot ?? known?.topicRoot ?? null,
    example: example ?? known?.example ?? null,
    isDismissed: known?.isDismissed === true && (topicRoot ?? known.topicRoot) === known.topicRoot,
  };
  const others = faults.filter((fault) => fault !== known);
  return { faults: [noted, ...others].slice(0, MAX_FAULTS_PER_SUBJECT), isNew: known === undefined };
}

/** Characters that it holds. */
export function faultLength({ detail, shape, address, meantFor, topicRoot, example }: DistinctFault): number {
  const texts = [detail, shape, address, meantFor, topicRoot, example];
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}
