import type { PlanReport } from '../../domain/fleet/plan/plan-report.ts';
import type { Claimer } from '../../domain/sync/name-claim.ts';
import type { Audit } from '../audit/audit.ts';

/** Keeps in the audit of the central server that a gateway has applied a version of its plan, or refused it. */
export function notePlanOutcome(
  audit: Pick<Audit, 'note'>,
  { gatewayId, principal }: Claimer,
  before: PlanReport | null,
  told: PlanReport | null,
): void {
  if (told === null) return;
  const former = before?.groupId === told.groupId ? before : null;
  const note = (act: string, version: number, after: object) => {
    const subject = `${gatewayId} version ${version}`;
    const entry = { who: principal, role: 'gateway', address: '', act, subject, before: null };
    audit.note({ ...entry, after: JSON.stringify(after) });
  };
  const { version, refused, deviationCount } = told;
  if (version !== null && version !== former?.version) note('planApplied', version, { deviationCount });
  if (refused !== null && refused.version !== former?.refused?.version) {
    note('planRefused', refused.version, { faults: refused.faults });
  }
}
