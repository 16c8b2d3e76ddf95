import { parseJsonObject } from '../../../domain/json/json-object.ts';
import type {
  LegacyAgent,
  LegacyLocation,
  LegacyOutcome,
  LegacyRequest,
} from '../../../flows/warehouse/warehouse-ports.ts';
import { AgentPool, pathPart } from './agent-pool.ts';
import { oneLine } from './one-line.ts';

export interface HttpAgentOptions {
  readonly url: string;
  /** For a whole exchange, from asking for a connection to the last byte of the answer. */
  readonly timeoutMs: number;
}

/** A legacy agent behind HTTP (contract.md, Legacy agent). */
export class HttpAgent implements LegacyAgent {
  readonly #pool: AgentPool;

  constructor({ url, timeoutMs }: HttpAgentOptions) {
    this.#pool = new AgentPool(url, timeoutMs);
  }

  async move({
    coilId,
    location,
    operationId,
  }: Pick<LegacyRequest, 'coilId' | 'location' | 'operationId'>): Promise<LegacyOutcome> {
    const path = `/coils/${pathPart(coilId)}/location`;
    const result = await this.#pool.ask({ method: 'PUT', path, body: { location, operationId } });
    if (result.kind === 'unsent') return { kind: 'offline', detail: result.detail };
    if (result.kind === 'unanswered') return { kind: 'unconfirmed', detail: result.detail };
    const { status, text } = result;
    if (status === 200) return { kind: 'applied' };
    if (status >= 400 && status < 500) return { kind: 'rejected', message: messageOf(status, text) };
    return { kind: hasFailed(status) ? 'failed' : 'unconfirmed', detail: `HTTP status ${status}` };
  }

  async locate(coilId: string): Promise<LegacyLocation> {
    const result = await this.#pool.ask({ method: 'GET', path: `/coils/${pathPart(coilId)}` });
    if (result.kind !== 'answered') return { kind: 'unreachable', detail: result.detail };
    const { status, text } = result;
    if (status === 404) return { kind: 'absent' };
    const coil = status === 200 ? parseJsonObject(text) : null;
    if (coil?.coilId === coilId && typeof coil.location === 'string') return { kind: 'at', location: coil.location };
    return { kind: 'unreachable', detail: `HTTP status ${status} without the coil and its location` };
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** Whether that is the agent's own answer that it failed: 502 and 504 are another's, who does not know what it is doing. */
function hasFailed(status: number): boolean {
  return status >= 500 && status < 600 && status !== 502 && status !== 504;
}

/** The agent's own words. */
function messageOf(status: number, text: string): string {
  return oneLine(parseJsonObject(text)?.message) ?? `the legacy system refused it with HTTP status ${status}`;
}
