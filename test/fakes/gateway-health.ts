import type { GatewayHealth } from '../../src/domain/fleet/gateway-health.ts';

const HOUR_MS = 3_600_000;

/** The report of a gateway at which nothing is wrong. */
export const HEALTHY: GatewayHealth = {
  version: '2.5.0',
  timeZone: 'America/Chicago',
  machines: 50,
  queue: { records: 0, oldestAgeMs: 0 },
  setAside: 0,
  openAlerts: 0,
  disk: { freePercent: 64, leastPercent: 10 },
  backups: { newestAgeMs: 15 * HOUR_MS },
  certificateLeftMs: 48 * 24 * HOUR_MS,
  exchange: { sentAt: 1_000_000, roundTripMs: 40, receivedAt: 1_000_020 },
  needs: [],
};
