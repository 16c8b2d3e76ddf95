import Router from '@koa/router';
import type { GatewayVitals } from '../../flows/local-api/local-api-ports.ts';
import type { Metrics } from './metrics.ts';

/** Probes without a key (contract.md, Local API): whether the process lives, whether it serves, and its counters. */
export function probeRoutes(vitals: GatewayVitals, metrics: Pick<Metrics, 'contentType' | 'text'>): Router {
  const router = new Router();
  router.get('/healthz', (context) => {
    context.body = { status: 'ok' };
  });
  router.get('/readyz', (context) => {
    const reasons = reasonsNotToServe(vitals);
    context.status = reasons.length === 0 ? 200 : 503;
    const { damagedRecords, setAside } = vitals.store();
    // Undamaged records are served, so damage does not make the gateway unready.
    const damage = {
      ...(damagedRecords.length > 0 && { damagedRecords }),
      ...(setAside !== null && { setAsideDatabase: setAside }),
    };
    context.body = { ready: reasons.length === 0, reasons, ...damage };
  });
  router.get('/metrics', async (context) => {
    context.type = metrics.contentType;
    context.body = await metrics.text();
  });
  return router;
}

function reasonsNotToServe(vitals: GatewayVitals): readonly string[] {
  const { health } = vitals.store();
  const reasons: string[] = [];
  if (health.state !== 'ok') reasons.push(`store: ${health.state}: ${health.detail}`);
  if (!vitals.broker().listening) reasons.push('mqtt: the broker is not listening');
  return reasons;
}
