import { beforeEach, describe, expect, it } from 'vitest';
import { HealthBoard } from '../../../../src/adapters/store/client/health-board.ts';
import type { StoreHealth } from '../../../../src/flows/store-health-ports.ts';
import { quietLog } from '../open-test-store.ts';

const FULL: StoreHealth = { state: 'full', since: 0, detail: 'database or disk is full (SQLITE_FULL)' };
const OK: StoreHealth = { state: 'ok' };

let nowMs: number;
let lines: object[];
let board: HealthBoard;

beforeEach(() => {
  nowMs = 1_000;
  lines = [];
  const note = (fields: object, message: string) => void lines.push({ message, ...fields });
  board = new HealthBoard({ monotonicMs: () => nowMs, log: { ...quietLog, error: note, info: note } });
});

function refuse(count: number): void {
  for (let refused = 0; refused < count; refused++) board.noteRefusedWrite();
}

describe('a disk that fails', () => {
  it('is logged once with the code and what to do, and once when it works again', () => {
    board.set(FULL);
    board.set({ ...FULL, since: 5 });
    refuse(3);
    board.set(OK);
    expect(lines).toEqual([
      {
        message: 'storing fails',
        state: 'full',
        detail: 'database or disk is full (SQLITE_FULL)',
        refusedWrites: 0,
        help: expect.stringContaining('free space'),
      },
      { message: 'storing works again', was: 'full', refusedWrites: 3 },
    ]);
  });

  it('is logged again each minute while it lasts, with the number of refused writes', () => {
    board.set(FULL);
    for (let second = 0; second < 150; second++) {
      nowMs += 1_000;
      refuse(10);
      board.logDue();
    }
    expect(lines).toMatchObject([{ refusedWrites: 0 }, { refusedWrites: 600 }, { refusedWrites: 600 }]);
    expect(board.refusedWrites).toBe(1_500);
  });

  it('that comes and goes is not logged more often', () => {
    for (let times = 0; times < 20; times++) {
      board.set(FULL);
      nowMs += 100;
      board.set(OK);
    }
    expect(lines).toHaveLength(2);
  });
});
