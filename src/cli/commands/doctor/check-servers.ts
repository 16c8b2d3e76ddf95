import { HttpCentralServer } from '../../../adapters/central/http-central-server.ts';
import { HttpPool } from '../../../adapters/central/http-pool.ts';
import type { Config } from '../../../config/config-schema.ts';
import { discoverServer } from '../../../flows/forward/discover-server.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

/** A coil that no legacy system has: the agent answers 404. */
const AGENT_PATH = '/coils/plantgate-doctor';

/** Checks whether the central server can be reached and accepts the key, with a read only. */
export async function checkUpstream({ upstream }: Config, timeoutMs: number): Promise<Finding> {
  if (upstream === undefined) return ok('upstream', 'no central server is configured');
  const { url, apiKey } = upstream;
  const server = new HttpCentralServer({ url, apiKey, timeoutMs });
  const event = await discoverServer(server).finally(() => server.close());
  switch (event.type) {
    case 'offered':
      return ok('upstream', `${url} accepts the key (${event.server})`);
    case 'unauthorized':
      return fault(
        'upstream',
        `${url} refuses the key: ${event.detail}`,
        'Put a key of that server into upstream.apiKey.',
      );
    case 'otherVersion':
      return fault('upstream', `${url}: ${event.detail}`, 'Bring both gateways to the same release.');
    default:
      return unreachable('upstream', url, 'detail' in event ? event.detail : event.type);
  }
}

/** Checks whether the legacy agent answers, with a read of its coils only. */
export async function checkAgent({ legacyAgent: { kind, url } }: Config, timeoutMs: number): Promise<Finding> {
  const check = 'legacyAgent';
  if (kind === 'none') return ok(check, 'none is configured: completing and moving answer 503');
  if (kind === 'simulated') {
    return warning(check, 'simulated: no coil of a legacy system is moved', 'Set legacyAgent.kind before production.');
  }
  if (kind === 'upstream' || url === undefined) return ok(check, 'the central server writes to the legacy system');
  const pool = new HttpPool({ url, timeoutMs, connections: 1 });
  const question = { method: 'GET', path: AGENT_PATH, headers: { accept: 'application/json' }, body: null } as const;
  const answer = await pool.ask(question).finally(() => pool.close());
  if (answer.kind !== 'answered') return unreachable(check, url, answer.detail);
  if (answer.status < 300 || answer.status === 404) return ok(check, `${url} answers`);
  return warning(check, `${url} answers ${answer.status}`, 'Look into the log of the agent.');
}

/** Checks the database of a central server: whether it takes writes, and may lose none of them. */
export async function checkDatabase({ storage }: Config, timeoutMs: number): Promise<readonly Finding[]> {
  if (storage.postgres === undefined) return [];
  const { examineDatabase } = await import('../../../central/examine-database.ts');
  const found = await examineDatabase(storage.postgres.url, timeoutMs);
  if (found.kind === 'unusable')
    return [fault('postgres', found.detail, 'Correct storage.postgres.url, or start PostgreSQL.')];
  if (found.isStandby)
    return [fault('postgres', 'it is a standby that takes no writes', 'Promote it, or name the primary.')];
  if (found.risks.length === 0) return [ok('postgres', 'it takes writes and loses none that was acknowledged')];
  return found.risks.map((risk) => warning('postgres', risk, 'See docs/central-server.md, Warnings of the database.'));
}

function unreachable(check: string, url: string, detail: string): Finding {
  return fault(check, `${url}: ${detail}`, `Look at cable, address and firewall, as with "curl -v ${url}" from here.`);
}
