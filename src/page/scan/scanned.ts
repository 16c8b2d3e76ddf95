import type { Scanned } from '../../flows/local-api/local-api-ports.ts';
import { isInOtherPlant } from '../api/address.ts';
import { call } from '../api/call.ts';
import { choose, route } from '../app/route.ts';
import { isDone } from '../app/tell-outcome.ts';
import { sheets, showToast } from '../app/toast.ts';
import { isBadge } from '../people/badges.ts';
import { words } from '../words/words.ts';
import { onBrokenCode, onScan } from './wedge.ts';

let scans = 0;

/**
 * The record that a scanned or typed code names; null: the gateway did not answer, and the person was told, or the person
 * scanned another code or went elsewhere before the answer came.
 */
export async function lookUp(code: string): Promise<Scanned | null> {
  scans += 1;
  if (isInOtherPlant(code)) return { kind: 'unknown', code, similar: [] };
  const isNewest = sinceThisScan();
  const outcome = await call<Scanned>('GET', `/scan?code=${encodeURIComponent(code)}`);
  if (!isNewest()) return null;
  return isDone(outcome) ? outcome.value : null;
}

/** Gives a function that tells whether nothing was scanned since now, and the person is still in the same place. */
export function sinceThisScan(): () => boolean {
  const [turn, here] = [scans, route.value];
  return () => turn === scans && route.value === here;
}

/** A scan in a place that does not listen opens what was scanned. It never acts. */
export function followScans(): void {
  onScan((code) => void openScanned(code));
  onBrokenCode((why) => {
    const { readAgain, broken } = words.value.scan;
    showToast({ text: readAgain, more: broken[why], isRefusal: true, undo: null });
  });
}

async function openScanned(code: string): Promise<void> {
  const scanned = await lookUp(code);
  if (scanned === null) return;
  // Leaving would lose the text that is typed in an open sheet. An unknown code may be a badge. Its question is shown
  // above the sheet.
  if (sheets.value.length > 0 && scanned.kind !== 'unknown') tellSheetIsOpen(scanned.id);
  else await openRecord(scanned);
}

/** Says that a scan did nothing because a sheet is open. */
export function tellSheetIsOpen(id: string): void {
  const { nothingDone, sheetIsOpen } = words.value.scan;
  showToast({ text: nothingDone(id), more: sheetIsOpen, isRefusal: true, undo: null });
}

/** Opens the place of a scanned record. */
export async function openRecord(scanned: Scanned): Promise<void> {
  switch (scanned.kind) {
    case 'machine':
      return choose({ place: 'machine', machineId: scanned.id });
    case 'coil':
      return choose({ place: 'coil', coilId: scanned.id });
    case 'task':
      return choose({ place: 'task', taskId: scanned.id });
    default:
      return tellUnexpected(scanned);
  }
}

/** An unknown code may be a badge, at a panel; else it is shown as it came. */
export async function tellUnexpected(scanned: Scanned): Promise<void> {
  if (scanned.kind === 'unknown' && (await isBadge(scanned.code))) return;
  const { unknown, differInCase, knownAs, kinds } = words.value.scan;
  const isKnown = scanned.kind !== 'unknown';
  const text = isKnown ? knownAs(scanned.id, kinds[scanned.kind]) : unknown(scanned.code);
  const more = isKnown || scanned.similar.length === 0 ? '' : differInCase(scanned.similar.join(', '));
  showToast({ text, more, isRefusal: true, undo: null });
}
