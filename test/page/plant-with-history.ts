import path from 'node:path';
import { writeDemoHistory } from '../../src/cli/commands/demo/demo-gateway.ts';
import { simulatedMachines } from '../../src/simulator/machine/rolling-line.ts';
import { samplePlant } from '../../src/simulator/plant/sample-plant.ts';
import { SAMPLE_SHIFTS } from '../../src/simulator/plant/sample-shifts.ts';
import { quietLog, threadEntry } from '../adapters/store/open-test-store.ts';
import { Program } from '../end-to-end/program.ts';
import type { PageUnderTest } from './page-under-test.ts';

/** Starts the gateway of the sample plant, with the 35 days of history of the demo (D-78). */
export async function beginWithHistory(gate: PageUnderTest, machines: number): Promise<void> {
  const shifts = { timeZone: 'UTC', ...SAMPLE_SHIFTS };
  const people = "users: [ { name: pat, role: technician, password: 'rolls and coils' } ]\n";
  const settings = `shifts: ${JSON.stringify(shifts)}\n`;
  const key = 'apiKeys: [ { principal: test, key: shop-key-01234567890, role: supervisor } ]\n';
  const dir = Program.prepare({ plant: samplePlant(machines) + people + key, settings });
  await writeDemoHistory({
    dataDir: path.join(dir, 'data'),
    storeThreadEntry: threadEntry,
    machines: simulatedMachines(machines, { timeScale: 1 }),
    shifts,
    nowMs: Date.now(),
    log: quietLog,
  });
  await gate.begin({ dir });
}
