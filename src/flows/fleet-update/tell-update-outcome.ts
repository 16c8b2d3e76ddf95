import type { Audit } from '../audit/audit.ts';
import type { Incidents } from '../ports.ts';

/** Keeps at this gateway that an update of its central server was handed to root, or failed. */
export function tellUpdateOutcome(
  { audit, incidents }: { readonly audit: Pick<Audit, 'note'>; readonly incidents: Incidents },
  version: string,
  failure: string | null,
): void {
  const act = failure === null ? 'installUpdate' : 'refuseUpdate';
  const after = failure === null ? null : JSON.stringify({ failure });
  audit.note({ who: 'central server', role: '', address: '', act, subject: version, before: null, after });
  if (failure === null) return;
  const detail = `the update to version ${version} was not installed: ${failure}`;
  incidents.report({ kind: 'upstream', subject: 'update', detail });
}
