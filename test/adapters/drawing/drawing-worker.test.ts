import { createRequire } from 'node:module';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DrawingWorker, type DrawingWorkerOptions } from '../../../src/adapters/drawing/drawing-worker.ts';
import { CodedError } from '../../../src/domain/error.ts';
import { SAMPLE_PROFILES } from '../../../src/simulator/plant/sample-profiles.ts';
import { threadEntry } from '../../../src/threads.ts';
import { largestFeatures } from '../../domain/profile/any-profile.ts';

const DRAWING_THREAD = threadEntry('drawing-thread');
const wasmFile = createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm');

function openWorker(options: Partial<DrawingWorkerOptions> = {}): DrawingWorker {
  const worker = new DrawingWorker({ threadEntry: DRAWING_THREAD, wasmFile, ...options });
  onTestFinished(() => worker.close());
  return worker;
}

/** Width and height of a PNG in a data URL. */
function sizeOf(dataUrl: string): readonly [width: number, height: number] {
  const bytes = Buffer.from(dataUrl.replace('data:image/png;base64,', ''), 'base64');
  expect(bytes.subarray(1, 4).toString('latin1')).toBe('PNG');
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

const RIDGE = { features: SAMPLE_PROFILES[0]?.features ?? [], paintedSide: 'Positive' } as const;

describe('thumbnails', () => {
  it('SYNC-03 are PNGs of 256 by 160, each of its own profile', async () => {
    const worker = openWorker();
    const drawn = await Promise.all(
      SAMPLE_PROFILES.map(({ features, paintedSide = null }) => worker.draw({ features, paintedSide })),
    );
    for (const dataUrl of drawn) expect(sizeOf(dataUrl)).toEqual([256, 160]);
    expect(new Set(drawn).size).toBe(SAMPLE_PROFILES.length);
    expect(await worker.draw(RIDGE)).toBe(drawn[0]);
    expect(await worker.draw({ ...RIDGE, paintedSide: null })).not.toBe(drawn[0]);
  });

  it('SYNC-03 of 999 features take less than 50 ms, and less than 10 ms of the main thread', async () => {
    const worker = openWorker();
    const largest = { features: largestFeatures(), paintedSide: 'Positive' } as const;
    for (let round = 0; round < 10; round += 1) await worker.draw(largest);
    const durations: number[] = [];
    const used = performance.eventLoopUtilization();
    for (let round = 0; round < 20; round += 1) {
      const from = performance.now();
      await worker.draw(largest);
      durations.push(performance.now() - from);
    }
    const { active } = performance.eventLoopUtilization(used);
    durations.sort((one, other) => one - other);
    expect(durations[10]).toBeLessThan(50);
    expect(active / 20).toBeLessThan(10);
  });

  it('are drawn again after the thread was stopped', async () => {
    const worker = openWorker({ idleMs: 1 });
    const first = await worker.draw(RIDGE);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await worker.draw(RIDGE)).toBe(first);
  });

  it('are refused, not awaited for ever, if the thread does not start', async () => {
    const worker = openWorker({ wasmFile: '/nowhere/renderer.wasm' });
    const codes: unknown[] = [];
    for (let time = 0; time < 4; time += 1) {
      codes.push(await worker.draw(RIDGE).catch((error: unknown) => error instanceof CodedError && error.code));
    }
    // A thread that died once or twice may have lacked memory for a moment.
    expect(codes).toEqual(['store-unavailable', 'store-unavailable', 'internal', 'internal']);
  });

  it('are refused when the gateway stops, and when too many wait', async () => {
    const worker = openWorker();
    const waiting = Array.from({ length: 256 }, () => worker.draw(RIDGE).catch((error: unknown) => error));
    await expect(worker.draw(RIDGE)).rejects.toMatchObject({ code: 'rate-limited' });
    await worker.close();
    expect(await waiting[255]).toMatchObject({ code: 'store-unavailable' });
  });
});
