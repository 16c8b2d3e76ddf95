import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { ATTACKS } from './attacks.ts';

/** Linux applies it to the calling thread alone. */
const ATTACKER_NICENESS = 10;

interface AttackPlan {
  readonly name: string;
  readonly mqttPort: number;
  readonly httpPort: number;
  readonly scale: number;
  readonly forMs: number;
}

// Attackers are other computers: they must not take the processor away from the gateway or from the machines' clocks.
setPriority(ATTACKER_NICENESS);
const { name, forMs, ...scene } = workerData as AttackPlan;
const endsAt = performance.now() + forMs;
await ATTACKS[name]?.({ ...scene, isOver: () => performance.now() >= endsAt });
parentPort?.postMessage('over');
