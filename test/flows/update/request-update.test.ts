import { beforeEach, describe, expect, it } from 'vitest';
import { CodedError } from '../../../src/domain/error.ts';
import type { UpdateOutcome } from '../../../src/domain/update/update-outcome.ts';
import { MAX_REQUEST_WAIT_MS, MAX_UPLOAD_IDLE_MS, RequestUpdate } from '../../../src/flows/update/request-update.ts';
import type { UpdateFiles } from '../../../src/flows/update/update-ports.ts';
import { quietLog } from '../../adapters/store/open-test-store.ts';

const BYTES = 10;
const PIECE = new Uint8Array(BYTES);
const BEFORE: UpdateOutcome = { result: 'refused', from: '1.0.0', to: '1.1.0', reason: 'too old', at: '2026-11-01' };

let files: UpdateFiles & { present: 'incoming' | 'requested' | null };
let timer: { delayMs: number; act: () => void } | null;
let told: UpdateOutcome | null;
let update: RequestUpdate;
beforeEach(() => {
  timer = null;
  told = BEFORE;
  const put = (name: typeof files.present) => {
    files.present = name;
  };
  files = {
    present: null,
    create: async () => put('incoming'),
    write: async () => undefined,
    verify: async () => ({ version: '2.0.0' }),
    remove: async () => put(null),
    request: async () => put('requested'),
    isRequested: async () => files.present === 'requested',
    withdraw: async () => {
      const was = files.present === 'requested';
      put(null);
      return was;
    },
    obstacle: async () => null,
    outcome: async () => told,
  } satisfies UpdateFiles & { present: null };
  let ids = 0;
  update = new RequestUpdate({
    files,
    version: '1.0.0',
    newId: () => `upload-${ids++}`,
    after: (delayMs, act) => {
      const own = { delayMs, act };
      timer = own;
      return () => {
        if (timer === own) timer = null;
      };
    },
    log: quietLog,
  });
});

async function ready(): Promise<void> {
  const { uploadId } = await update.begin(BYTES);
  await update.add(uploadId, 0, PIECE);
  await update.verify(uploadId);
}

async function ring(delayMs: number): Promise<void> {
  expect(timer?.delayMs).toBe(delayMs);
  timer?.act();
  await new Promise((resolve) => setImmediate(resolve));
}

const upload = async () => (await update.view()).upload;

describe('D-46 an update from the page', () => {
  it('is removed an hour after its last piece, and an hour after it was verified', async () => {
    const { uploadId } = await update.begin(BYTES);
    await ring(MAX_UPLOAD_IDLE_MS);
    expect({ present: files.present, ...(await upload()) }).toMatchObject({ present: null, state: 'none' });
    await expect(update.add(uploadId, 0, PIECE)).rejects.toMatchObject({ code: 'not-found' });
    await ready();
    await ring(MAX_UPLOAD_IDLE_MS);
    expect({ present: files.present, ...(await upload()) }).toMatchObject({ present: null, state: 'none' });
  });

  it('is taken back if no service takes it within 30 s', async () => {
    await ready();
    await update.install('2.0.0');
    await expect(update.begin(BYTES)).rejects.toMatchObject({ code: 'conflict' });
    await ring(MAX_REQUEST_WAIT_MS);
    expect({ present: files.present, ...(await upload()) }).toMatchObject({ state: 'untaken', version: '2.0.0' });
    await ready();
    expect(await upload()).toMatchObject({ state: 'ready' });
  });

  it('is under way once it was taken, until there is an outcome', async () => {
    await ready();
    await update.install('2.0.0');
    files.present = null;
    await ring(MAX_REQUEST_WAIT_MS);
    expect(await upload()).toMatchObject({ state: 'requested', version: '2.0.0' });
    told = { ...BEFORE, result: 'underWay', at: '2026-11-02' };
    expect(await upload()).toMatchObject({ state: 'requested' });
    told = { ...BEFORE, at: '2026-11-03' };
    expect(await update.view()).toMatchObject({ upload: { state: 'none' }, outcome: told });
  });

  it.each<readonly [string, Partial<UpdateFiles>, string]>([
    ['there is no room', { create: () => refuse('store-unavailable') }, 'store-unavailable'],
    ['the disk becomes full', { write: () => Promise.reject(new Error('ENOSPC: no space')) }, 'store-unavailable'],
    ['the archive is refused', { verify: () => refuse('invalid-input') }, 'invalid-input'],
    ['the verifying thread fails', { verify: () => Promise.reject(new Error('EIO')) }, 'store-unavailable'],
  ])('leaves no file if %s', async (_, failing, code) => {
    Object.assign(files, failing);
    await expect(ready()).rejects.toMatchObject({ code });
    expect({ present: files.present, ...(await upload()) }).toMatchObject({ present: null, state: 'none' });
  });

  it('takes one step at a time', async () => {
    const { uploadId } = await update.begin(BYTES);
    const adding = update.add(uploadId, 0, PIECE);
    await expect(update.add(uploadId, 0, PIECE)).rejects.toMatchObject({ code: 'conflict' });
    await adding;
    expect(await upload()).toMatchObject({ receivedBytes: BYTES });
  });
});

function refuse(code: 'store-unavailable' | 'invalid-input'): Promise<never> {
  return Promise.reject(new CodedError(code, 'not now'));
}
