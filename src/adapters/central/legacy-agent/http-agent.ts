import { parseJsonObject } from '../../../domain/json/json.ts';
import { isPage } from '../../../domain/sync/central-verdict.ts';
import type {
  LegacyAgent,
  LegacyLocation,
  LegacyOutcome,
  LegacyRequest,
} from '../../../flows/warehouse/warehouse-ports.ts';
import { HttpPool, pathPart } from '../http-pool.ts';
import { LIMITS } from '../limits.ts';
import { NOT_THE_CALLERS_FAULT, oneLine, refusalOfUs } from './not-the-callers-fault.ts';

export interface HttpAgentOptions {
  readonly url: string;
  /** The time limit of a whole exchange, from the request for a connection to the last byte of the answer. */
  readonly timeoutMs: number;
}

/** A legacy agent behind HTTP (contract.md, Legacy agent). */
export class HttpAgent implements LegacyAgent {
  readonly #pool: HttpPool;

  constructor({ url, timeoutMs }: HttpAgentOptions) {
    this.#pool = new HttpPool({ url, timeoutMs, connections: LIMITS.agentConnections });
  }

  async move({
    coilId,
    location,
    operationId,
  }: Pick<LegacyRequest, 'coilId' | 'location' | 'operationId'>): Promise<LegacyOutcome> {
    const path = `/coils/${pathPart(coilId)}/location`;
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    const body = JSON.stringify({ location, operationId });
    const result = await this.#pool.ask({ method: 'PUT', path, headers, body });
    if (result.kind === 'unsent') return { kind: 'offline', detail: result.detail };
    if (result.kind === 'unanswered') return { kind: 'unconfirmed', detail: result.detail };
    const { status, bytes } = result;
    // Another program answers in the agent's place, a login for example: the request did not reach the agent (D-51).
    if (status === 200 && isPage(bytes.toString('utf8'))) {
      return { kind: 'offline', detail: 'a page for people, not the answer of an agent' };
    }
    if (status === 200) return { kind: 'applied' };
    // A redirect leads to an address that the request was not sent to.
    if (status >= 300 && status < 400) return { kind: 'offline', detail: `HTTP status ${status}, a redirect` };
    if (NOT_THE_CALLERS_FAULT.includes(status)) return { kind: 'offline', detail: refusalOfUs(status) };
    if (status >= 400 && status < 500) return { kind: 'rejected', message: messageOf(status, bytes) };
    return { kind: hasFailed(status) ? 'failed' : 'unconfirmed', detail: `HTTP status ${status}` };
  }

  async locate(coilId: string): Promise<LegacyLocation> {
    const path = `/coils/${pathPart(coilId)}`;
    const result = await this.#pool.ask({ method: 'GET', path, headers: { accept: 'application/json' }, body: null });
    if (result.kind !== 'answered') return { kind: 'unreachable', detail: result.detail };
    const { status } = result;
    const text = result.bytes.toString('utf8');
    if (status === 404 && !isPage(text)) return { kind: 'absent' };
    const coil = status === 200 ? parseJsonObject(text) : null;
    if (coil?.coilId === coilId && typeof coil.location === 'string') return { kind: 'at', location: coil.location };
    return { kind: 'unreachable', detail: `HTTP status ${status} without the coil and its location` };
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** Whether the agent itself says that it failed: 502 and 504 come from a proxy, which does not know the agent's state. */
function hasFailed(status: number): boolean {
  return status >= 500 && status < 600 && status !== 502 && status !== 504;
}

/** The agent's own words. */
function messageOf(status: number, bytes: Buffer): string {
  return (
    oneLine(parseJsonObject(bytes.toString('utf8'))?.message) ??
    `the legacy system refused it with HTTP status ${status}`
  );
}
