import { expect, it } from 'vitest';
import { FloorUnderTest, machine, NO_STORED_STATE, status } from '../floor-under-test.ts';

const NOW = { monotonicMs: 1_000_000, wallMs: Date.UTC(2026, 2, 2, 8) };
const SHIFT = { shiftDate: '2026-03-02', shiftName: 'Day', startMs: NOW.wallMs, endMs: NOW.wallMs + 43_200_000 };
const ORIGIN = { transport: 'http', duplicate: false } as const;
const MEANT = 'did you mean LINE-7?';

function refusal({ inbox }: FloorUnderTest, machineId: string): string {
  const answer = inbox.namedStatus(status(machineId), ORIGIN);
  return answer.kind === 'refused' ? answer.error.message : 'taken';
}

it('D-08 a flood of unknown machine ids is compared with the known ones ten times a second', () => {
  const under = new FloorUnderTest([machine('LINE-7')], NO_STORED_STATE, 'id', NOW, () => SHIFT);
  const ids = Array.from({ length: 26 }, (_, index) => `LINE-${String.fromCharCode(97 + index)}`);
  const told = ids.filter((id) => refusal(under, id).includes(MEANT));
  expect(told).toEqual(ids.slice(0, 10));
  expect(refusal(under, 'LINE-a'), 'the result is remembered').toContain(MEANT);
  expect(refusal(under, 'LINE-z'), 'every one is refused').toContain('expected the id of a configured machine');
  under.now = { ...NOW, monotonicMs: NOW.monotonicMs + 1_000 };
  expect(refusal(under, 'LINE-z'), 'the next second').toContain(MEANT);
});
