import { isoTime } from '../../domain/time.ts';
import type { IncidentEntry } from './incident-log.ts';

/** The views of incidents, each made when it is taken. */
export function* incidentViews(incidents: Iterable<IncidentEntry>): Iterable<object> {
  for (const incident of incidents) yield incidentView(incident);
}

/** Trouble with one subject as `/api/local/diagnostics` shows it, with its distinct faults. */
function incidentView({ subject, detail, count, firstAt, lastAt, faults }: IncidentEntry) {
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
