import { expect, it } from 'vitest';
import { openLegacyAgent } from '../../../../src/adapters/central/legacy-agent/open-legacy-agent.ts';
import { coilOf, writeOf } from '../../../domain/warehouse/warehouse-samples.ts';

const WRITE = writeOf();

it('COIL-04 the simulated agent carries out writes, takes its time, and agrees with the gateway', async () => {
  const store = { coil: async (coilId: string) => (coilId === 'C-1' ? coilOf('C-1') : null) };
  const agent = await openLegacyAgent({ kind: 'simulated', store, random: () => 0 });
  const begun = performance.now();
  expect(await agent.move(WRITE)).toEqual({ kind: 'applied' });
  expect(performance.now() - begun).toBeGreaterThan(35);
  expect(await agent.locate('C-1', WRITE)).toEqual({ kind: 'at', location: 'WH-A1' });
  expect(await agent.locate('C-9', WRITE)).toEqual({ kind: 'absent' });
  await agent.close();
});

it('UP-04 without an agent every write is refused before it is sent', async () => {
  const agent = await openLegacyAgent({ kind: 'none' });
  expect(await agent.move(WRITE)).toMatchObject({
    kind: 'offline',
  });
  expect(await agent.locate('C-1', WRITE)).toMatchObject({ kind: 'unreachable' });
  await agent.close();
});
