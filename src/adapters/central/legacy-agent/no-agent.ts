import type { LegacyAgent } from '../../../flows/warehouse/warehouse-ports.ts';

const DETAIL = 'no legacy agent is configured: see legacyAgent.kind';

/** No legacy agent at all: every write is refused with 503, and none is ever sent. */
export const noAgent: LegacyAgent = {
  move: () => Promise.resolve({ kind: 'offline', detail: DETAIL }),
  locate: () => Promise.resolve({ kind: 'unreachable', detail: DETAIL }),
  close: () => Promise.resolve(),
};
