import { parseJsonObject } from '../../domain/json/json.ts';
import { SYNC_VERSION } from '../../domain/sync/batch.ts';
import { centralWords, isPage } from '../../domain/sync/central-verdict.ts';
import type { ConnectionEvent } from '../../domain/sync/connection-states.ts';
import type { GatewayStream } from '../../domain/sync/name-claim.ts';
import type { CentralAnswer, CentralServer } from './upstream-ports.ts';

/** The path of the batch extension (contract.md, Upstream). */
export const SYNC_PATH = '/api/v1/sync';
/** Every server with the interface gives a short answer here, and asks for a key. */
const INTERFACE_PATH = '/api/v1/warehouseTasks?take=1';
/** The statuses of an unknown path or method. */
const UNKNOWN_THERE: ReadonlySet<number> = new Set([404, 405, 501]);

/**
 * Finds out the kind of server: with the batch extension, with the interface alone, or unusable at present. `as` also
 * tells the server that this gateway lives (domain/sync/name-claim.ts).
 */
export async function discoverServer(server: CentralServer, as: GatewayStream | null = null): Promise<ConnectionEvent> {
  const path = as === null ? SYNC_PATH : `${SYNC_PATH}?${new URLSearchParams({ ...as })}`;
  const answer = await server.ask({ method: 'GET', path });
  if (answer.kind === 'answered' && UNKNOWN_THERE.has(answer.status)) return discoverInterface(server);
  if (answer.kind !== 'answered' || answer.status !== 200) return troubleIn(answer, SYNC_PATH);
  const version = versionIn(answer.bytes.toString('utf8'));
  if (version === SYNC_VERSION) return { type: 'offered', server: 'batch' };
  if (version === null) return { type: 'failed', detail: `GET ${SYNC_PATH}: an answer without a version` };
  return { type: 'otherVersion', detail: `it speaks version ${version} of ${SYNC_PATH}, this gateway ${SYNC_VERSION}` };
}

async function discoverInterface(server: CentralServer): Promise<ConnectionEvent> {
  const answer = await server.ask({ method: 'GET', path: INTERFACE_PATH });
  if (answer.kind !== 'answered' || answer.status !== 200) return troubleIn(answer, INTERFACE_PATH);
  if (isPage(answer.bytes.toString('utf8'))) {
    return { type: 'failed', detail: `GET ${INTERFACE_PATH}: the address answers with an HTML page, not with the API` };
  }
  return { type: 'offered', server: 'interface' };
}

function troubleIn(answer: CentralAnswer, path: string): ConnectionEvent {
  if (answer.kind !== 'answered') return { type: 'failed', detail: answer.detail };
  const { status, bytes } = answer;
  const detail = `GET ${path}: HTTP ${status}${centralWords(bytes.toString('utf8'))}`;
  return { type: status === 401 || status === 403 ? 'unauthorized' : 'failed', detail };
}

function versionIn(text: string): number | null {
  const version = parseJsonObject(text)?.version;
  return typeof version === 'number' ? version : null;
}
