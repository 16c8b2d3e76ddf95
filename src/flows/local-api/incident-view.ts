import type { IncidentEntry } from './incident-log.ts';
import { isoTime } from './machine-view.ts';

/** Trouble with one subject as `/api/local/diagnostics` shows it, with its distinct faults. */
export function incidentView({ subject, detail, count, firstAt, lastAt, faults }: IncidentEntry) {
  return {
    subject,
    detail,
    count,
    firstAt: isoTime(firstAt),
    lastAt: isoTime(lastAt),
    address: faults[0]?.address ?? null,
    faults: faults.map(({ shape: _, ...fault }) => ({
      ...fault,
      firstAt: isoTime(fault.firstAt),
      lastAt: isoTime(fault.lastAt),
    })),
  };
}
