import type { Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { onEvent } from '../api/live.ts';
import type { Fault } from '../app/tell-outcome.ts';
import { showToast } from '../app/toast.ts';
import { type LateWrite, lateWriteOf } from '../plant/late-writes.ts';
import { words } from '../words/words.ts';
import { timeOrDate } from './format.ts';
import { LegacyRefusal } from './legacy-refusal.tsx';

interface OnItsWayProps {
  readonly coilId: string;
  /** Why the last try was not done: forgotten once more is known. */
  readonly fault: Signal<Fault | null>;
}

/** Says that a coil waits for the legacy system, and then what came of it (D-16). */
export function OnItsWay({ coilId, fault }: OnItsWayProps) {
  const hear = (write: LateWrite) => {
    if (write.coilId !== coilId) return;
    fault.value = null;
    tellOutcome(write);
  };
  useEffect(() => onEvent('lateWrite', (data) => hear(data as LateWrite)), [coilId, fault]);
  const write = lateWriteOf(coilId);
  const { legacy } = words.value;
  if (write === null) return null;
  const waits = { text: legacy.onItsWay(coilId, write.location), more: legacy.waits(timeOrDate(write.requestedAt)) };
  return <LegacyRefusal fault={waits} />;
}

function tellOutcome({ coilId, location, outcome }: LateWrite): void {
  if (outcome === 'unknown') return;
  const { legacy, coils } = words.value;
  const isRefusal = outcome !== 'applied';
  showToast({
    text: isRefusal ? legacy.notMoved(coilId, location) : coils.standsIn(coilId, location),
    more: isRefusal ? '' : coils.bothHaveIt,
    isRefusal,
    undo: null,
  });
}
