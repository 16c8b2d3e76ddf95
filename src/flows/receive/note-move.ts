import type { Audit } from '../audit/audit.ts';
import type { ReceivedGateway } from './receive-ports.ts';

/** Keeps in the audits of both plants that a gateway has come with a key of another plant (D-108). */
export function noteMove(
  auditOf: (plantId: string) => Pick<Audit, 'note'>,
  before: Pick<ReceivedGateway, 'plantId'>,
  { gatewayId, principal, plantId }: Pick<ReceivedGateway, 'gatewayId' | 'principal' | 'plantId'>,
): void {
  const entry = {
    who: principal,
    role: 'gateway',
    address: '',
    act: 'moveGateway',
    subject: gatewayId,
    before: JSON.stringify({ plantId: before.plantId }),
    after: JSON.stringify({ plantId }),
  };
  for (const audit of new Set([auditOf(before.plantId), auditOf(plantId)])) audit.note(entry);
}
