import type { ApiRoute } from './api-route.ts';

/** Batches and reports of gateways, and archives for them, about which nodes agree by the database itself. */
const BY_THE_DATABASE: readonly string[] = ['/api/v1/sync', '/api/local/gateways', '/api/local/fleet/archives'];
/**
 * Calls about this node alone, calls that take long, and sign-ins, which anybody may try: none of them may keep the turn
 * from other nodes.
 */
const OF_NODE: ReadonlySet<string> = new Set([
  'POST /api/local/session',
  'POST /api/local/session/panel',
  'POST /api/local/alerts/channels/:channelId/test',
  'POST /api/local/alerts/rules/:ruleId/test',
  'POST /api/local/alerts/reports',
  'PUT /api/local/settings',
  'POST /api/local/settings/server',
  'POST /api/local/support-bundle',
  'POST /api/local/diagnostics/dismissals',
  'PUT /api/local/log-level',
  'POST /api/local/backups',
  'POST /api/local/update/install',
]);

/** Whether a call decides about records that the nodes of a central server share. */
export function isDecision(prefix: string, { method, path }: Pick<ApiRoute, 'method' | 'path'>): boolean {
  const whole = `${prefix}${path}`;
  return (
    method !== 'GET' && !OF_NODE.has(`${method} ${whole}`) && !BY_THE_DATABASE.some((one) => whole.startsWith(one))
  );
}
