import { openStore } from '../../../src/adapters/store/client/sqlite-store.ts';
import { machineId } from '../../../src/domain/machine/machine-names.ts';
import { threadEntry } from '../../../src/threads.ts';

/**
 * A separate process, which `bundle-program.ts` bundles: it writes points without end and prints the newest acknowledged
 * one, until it is killed.
 */
async function main(dataDir: string, startAt: number): Promise<void> {
  const quiet = () => 0;
  const { store } = await openStore({
    dataDir,
    threadEntry: threadEntry('store-thread'),
    retention: { variableDays: 90, statusDays: 30, productionDays: 30, auditDays: 730 },
    forwarding: null,
    monotonicMs: () => performance.now(),
    wallMs: () => startAt,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  });
  const machine = machineId('RF-01');
  if (machine === null) throw new Error('RF-01 is no machine id');
  const write = async (value: number) => {
    const point = { machineId: machine, name: 'lineSpeed', at: startAt + value, shiftDate: '2026-03-04', value };
    const receipt = { clientId: 'RF-01', messageId: value, payloadHash: value, duplicate: false };
    await store.write([{ kind: 'variables', points: [point], receipt }]);
    process.stdout.write(`${value}\n`);
  };
  for (let value = 1; ; value += 4) await Promise.all([0, 1, 2, 3].map((offset) => write(value + offset)));
}

const [dataDir = '', startAt = '0'] = process.argv.slice(2);
void main(dataDir, Number(startAt));
