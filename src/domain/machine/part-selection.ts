import type { PartSelection } from './records.ts';
import type { KnownStatus } from './status/status.ts';
import type { Transition } from './transition.ts';

interface PartChoice {
  readonly partId: string;
  readonly partName: string | null;
  readonly at: number;
  readonly by: PartSelection['selectedBy'];
}

/** Selects a part unless there was a later choice; a name once given stays with its part (DEV-15, D-09). */
export function selectPart(transition: Transition, choice: PartChoice): void {
  const { state, effects } = transition;
  if (isOutdated(transition, choice.at)) return;
  state.selectionAt = choice.at;
  const { partId, at } = choice;
  const known = state.selection?.partId === partId ? state.selection : null;
  const partName = choice.partName ?? known?.partName ?? null;
  if (known !== null && known.partName === partName) return;
  state.selection = { partId, partName, selectedAt: at, selectedBy: choice.by };
  effects.push({ type: 'partSelected', part: state.selection, at });
}

/** Removes the selection unless there was a later choice; rule 2 then fails. */
export function clearPart(transition: Transition, at: number): void {
  const { state, effects } = transition;
  if (isOutdated(transition, at)) return;
  state.selectionAt = at;
  if (state.selection === null) return;
  state.selection = null;
  effects.push({ type: 'partSelected', part: null, at });
}

/**
 * A part named by a device, in a status or by a field. It selects the part each time; a part with another id or name
 * than `before` is reported.
 */
export function takeDevicePart(transition: Transition, before: Pick<KnownStatus, 'partId' | 'partName'>): void {
  const { state, effects, now } = transition;
  const { partId, partName } = state.known;
  if (partId === null) return;
  const isRenamed = partName !== null && partName !== before.partName;
  if (partId !== before.partId || isRenamed) effects.push({ type: 'partReported', partId, partName });
  selectPart(transition, { partId, partName, at: Math.round(now.wallMs), by: 'device' });
}

/** A name that a device gives to its part: it is reported, and selects nothing (D-09). */
export function nameDevicePart(transition: Transition, partId: string, partName: string): void {
  const { state, effects } = transition;
  effects.push({ type: 'partReported', partId, partName });
  const { selection } = state;
  if (selection?.partId !== partId || selection.partName === partName) return;
  state.selection = { ...selection, partName };
  effects.push({ type: 'partSelected', part: state.selection, at: state.selectionAt });
}

/**
 * A choice with a time later than now was made before the wall clock was put back: it must not lock out later choices.
 */
function isOutdated({ state, now }: Transition, at: number): boolean {
  return at < state.selectionAt && state.selectionAt <= now.wallMs;
}
