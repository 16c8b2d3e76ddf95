import type { AuditApi } from '../audit/audit-ports.ts';
import type { LegacyWrite } from './warehouse-ports.ts';

/**
 * The audit entry of a write whose request was answered before the outcome was known (D-16). Role and address of its
 * person are not kept with a write, which may outlast a restart.
 */
export function lateAct(write: LegacyWrite): Parameters<AuditApi['note']>[0] {
  const { coilId, location, previousLocation, principal, purpose, startedAt } = write;
  const requestedAt = new Date(startedAt).toISOString();
  return {
    who: principal,
    role: '',
    address: '',
    act: purpose.type === 'move' ? 'moveCoil' : `task ${purpose.type}`,
    subject: purpose.type === 'move' ? coilId : purpose.taskId,
    before: JSON.stringify({ location: previousLocation }),
    after: JSON.stringify({ coilId, location, requestedAt }),
  };
}
