import { parentPort, workerData } from 'node:worker_threads';
import { MQTT_ATTACKS } from './mqtt-attacks.ts';

interface AttackPlan {
  readonly name: string;
  readonly mqttPort: number;
  readonly httpPort: number;
  readonly scale: number;
  readonly forMs: number;
}

const { name, forMs, ...scene } = workerData as AttackPlan;
const endsAt = performance.now() + forMs;
await MQTT_ATTACKS[name]?.({ ...scene, isOver: () => performance.now() >= endsAt });
parentPort?.postMessage('over');
