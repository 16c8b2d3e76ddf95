import { describe, expect, it } from 'vitest';
import { settleLegacyWrite } from '../../../src/flows/warehouse/settle-legacy-write.ts';
import type { LegacyLocation, LegacyOutcome, LegacyWrite } from '../../../src/flows/warehouse/warehouse-ports.ts';
import {
  ABSENT,
  APPLIED,
  at,
  CARRIED_OUT,
  FAILED,
  NOT_SEEN,
  OFFLINE,
  REJECTED,
  ScriptedAgent,
  UNCONFIRMED,
  UNREACHABLE,
} from '../lanes-under-test.ts';

const WRITE: LegacyWrite = {
  operationId: 'op-1',
  coilId: 'C-1',
  location: 'WH-A2',
  previousLocation: 'WH-A1',
  startedAt: 0,
  principal: 'erp',
  purpose: { type: 'move' },
};
/** A move to the coil's present location in our record. */
const IN_PLACE: LegacyWrite = { ...WRITE, previousLocation: 'WH-A2' };

const LOCATE = 'locate C-1';
const REPEAT = 'move C-1 to WH-A2 as op-1';

type Answers = readonly (LegacyOutcome | LegacyLocation)[];

describe('an unconfirmed write', () => {
  it.each<readonly [string, LegacyWrite, Answers, readonly string[], object | null]>([
    ['lies at the new place: applied', WRITE, [at('WH-A2')], [LOCATE], APPLIED],
    ['cannot be looked up: unconfirmed', WRITE, [UNREACHABLE], [LOCATE], null],
    ['lies where it was: repeated', WRITE, [at('WH-A1'), APPLIED], [LOCATE, REPEAT], APPLIED],
    ['lies at a third place: repeated', WRITE, [at('RF-01'), APPLIED], [LOCATE, REPEAT], APPLIED],
    ['is not known there: repeated', WRITE, [ABSENT, APPLIED], [LOCATE, REPEAT], APPLIED],
    ['repeated, unconfirmed again', WRITE, [at('WH-A1'), UNCONFIRMED], [LOCATE, REPEAT], null],
    ['repeated, failed: the first copy is unconfirmed still', WRITE, [at('WH-A1'), FAILED], [LOCATE, REPEAT], null],
    ['repeated, not sent: the first copy is unconfirmed still', WRITE, [at('WH-A1'), OFFLINE], [LOCATE, REPEAT], null],
    [
      'repeated, rejected, there where it was',
      WRITE,
      [at('WH-A1'), REJECTED, at('WH-A1')],
      [LOCATE, REPEAT, LOCATE],
      REJECTED,
    ],
    ['repeated, rejected, not known there', WRITE, [ABSENT, REJECTED, ABSENT], [LOCATE, REPEAT, LOCATE], REJECTED],
    [
      'repeated, rejected for it is there by now',
      WRITE,
      [at('WH-A1'), REJECTED, at('WH-A2')],
      [LOCATE, REPEAT, LOCATE],
      APPLIED,
    ],
    [
      'repeated, rejected, then lost from sight',
      WRITE,
      [at('WH-A1'), REJECTED, UNREACHABLE],
      [LOCATE, REPEAT, LOCATE],
      null,
    ],
    ['in place: where it lies proves nothing', IN_PLACE, [at('WH-A2'), APPLIED], [LOCATE, REPEAT], APPLIED],
    ['in place: a no is a no', IN_PLACE, [at('WH-A2'), REJECTED], [LOCATE, REPEAT], REJECTED],
    ['task is as the write was to make it: applied', WRITE, [CARRIED_OUT], [LOCATE], APPLIED],
    ['in place, and its task shows it: applied', IN_PLACE, [CARRIED_OUT], [LOCATE], APPLIED],
    ['task shows nothing of it: repeated', WRITE, [NOT_SEEN, APPLIED], [LOCATE, REPEAT], APPLIED],
    [
      'task shows nothing of it, repeated, rejected for it is done by now',
      IN_PLACE,
      [NOT_SEEN, REJECTED, CARRIED_OUT],
      [LOCATE, REPEAT, LOCATE],
      APPLIED,
    ],
    ['task shows nothing, a no is a no', WRITE, [NOT_SEEN, REJECTED, NOT_SEEN], [LOCATE, REPEAT, LOCATE], REJECTED],
    ['task is lost from sight', IN_PLACE, [NOT_SEEN, REJECTED, UNREACHABLE], [LOCATE, REPEAT, LOCATE], null],
    ['in place: no answer', IN_PLACE, [at('WH-A2'), UNCONFIRMED], [LOCATE, REPEAT], null],
  ])('D-16 %s', async (_, write, answers, asked, verdict) => {
    const agent = new ScriptedAgent(...answers);
    expect(await settleLegacyWrite({ write, hasFailed: false }, agent)).toEqual(verdict);
    expect(agent.asked).toEqual(asked);
  });

  const UNDONE = { kind: 'undone' } as const;

  it.each<readonly [string, LegacyWrite, Answers, readonly string[], object | null]>([
    ['lies where it was: undone', WRITE, [at('WH-A1')], [LOCATE], UNDONE],
    ['lies at a third place: undone', WRITE, [at('RF-01')], [LOCATE], UNDONE],
    ['is not known there: undone', WRITE, [ABSENT], [LOCATE], UNDONE],
    ['lies at the new place: applied', WRITE, [at('WH-A2')], [LOCATE], APPLIED],
    ['cannot be looked up: unconfirmed', WRITE, [UNREACHABLE], [LOCATE], null],
    ['in place: where it lies proves nothing', IN_PLACE, [at('WH-A2'), APPLIED], [LOCATE, REPEAT], APPLIED],
    ['in place, failed again: unconfirmed', IN_PLACE, [at('WH-A2'), FAILED], [LOCATE, REPEAT], null],
  ])('D-16 UP-04 that the agent reported as failed %s', async (_, write, answers, asked, verdict) => {
    const agent = new ScriptedAgent(...answers);
    expect(await settleLegacyWrite({ write, hasFailed: true }, agent)).toEqual(verdict);
    expect(agent.asked).toEqual(asked);
  });
});
