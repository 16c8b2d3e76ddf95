import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Alert } from '../../../src/domain/alert/alert.ts';
import {
  END_AFTER_MS,
  evaluate,
  followAlerts,
  MAX_OPEN_ALERTS,
  MAX_OPENED_AT_ONCE,
  NO_ALERTS,
  restoreAlerts,
  take,
} from '../../../src/domain/alert/evaluate.ts';
import { BETWEEN_MESSAGES_MS } from '../../../src/domain/alert/tell.ts';
import { processorMs } from '../../rounds.ts';
import { at, DANA, HELD_RULE, held, INPUTS, MINUTE, recipient, Watch } from './alert-samples.ts';

const STANDS = { findings: [held('RF-1')] };

test('D-79 the alerts of another node are followed within 20 ms, also 2,000 of them at once', () => {
  const [alert] = new Watch().run(11 * MINUTE, STANDS).alerts;
  if (alert === undefined) throw new Error('no alert');
  const alerts = Array.from({ length: MAX_OPEN_ALERTS }, (_, n) => ({ ...alert, alertId: `a-${n}` }));
  const state = followAlerts(NO_ALERTS, alerts, at(12 * MINUTE));
  const begunMs = processorMs();
  expect(followAlerts(state, alerts, at(13 * MINUTE)).open.size).toBe(MAX_OPEN_ALERTS);
  expect(processorMs() - begunMs).toBeLessThan(20);
});

describe('D-80 an alert opens when its cause has lasted, and ends when it is gone', () => {
  test('a machine that stands shorter than the limit opens none', () => {
    expect(new Watch().run(9.9 * MINUTE, STANDS).alerts).toEqual([]);
  });

  test('it opens after ten minutes, with the time at which the cause began', () => {
    const [alert] = new Watch().run(11 * MINUTE, STANDS).alerts;
    expect(alert).toMatchObject({ subject: 'RF-1', endedAt: null });
    expect((alert?.openedAt ?? 0) - (alert?.beganAt ?? 0)).toBe(10 * MINUTE);
  });

  test('a cause that is known to have lasted opens it at once', () => {
    const watch = new Watch().run(5_000, { findings: [held('RF-1', { forMs: 30 * MINUTE })] });
    expect(watch.alerts).toMatchObject([{ beganAt: at(-30 * MINUTE).now.wallMs }]);
  });

  test('it ends a minute after its cause; a shorter pause does not end it', () => {
    const watch = new Watch()
      .run(11 * MINUTE, STANDS)
      .run(11 * MINUTE + END_AFTER_MS / 2, {})
      .run(13 * MINUTE, STANDS);
    expect(watch.alerts).toMatchObject([{ endedAt: null }]);
    expect(watch.run(15 * MINUTE, {}).alerts).toMatchObject([{ endedAt: at(14 * MINUTE).now.wallMs }]);
  });

  test('near its limit a value keeps an alert open, and opens none', () => {
    const near = { findings: [held('RF-1', { isNear: true })] };
    expect(new Watch().run(30 * MINUTE, near).alerts).toEqual([]);
    expect(new Watch().run(11 * MINUTE, STANDS).run(40 * MINUTE, near).alerts).toMatchObject([{ endedAt: null }]);
  });

  test('a cause that cannot be looked at changes nothing', () => {
    const watch = new Watch().run(11 * MINUTE, STANDS).run(40 * MINUTE, { unknown: new Set(['held']) });
    expect(watch.alerts).toMatchObject([{ endedAt: null }]);
  });

  test.each([
    ['switched off', [{ ...HELD_RULE, isOn: false }]],
    ['removed', []],
  ])('a rule that is %s ends its alerts', (_, rules) => {
    const watch = new Watch().run(11 * MINUTE, STANDS).run(12 * MINUTE, { ...STANDS, rules });
    expect(watch.alerts).toMatchObject([{ endedAt: at(11 * MINUTE).now.wallMs }]);
  });

  test('a rule for some shifts opens nothing in others', () => {
    const rules = [{ ...HELD_RULE, shifts: ['Late'] }];
    expect(new Watch().run(20 * MINUTE, { ...STANDS, rules }, 'Early').alerts).toEqual([]);
    expect(new Watch().run(20 * MINUTE, { ...STANDS, rules }, 'Late').alerts).toHaveLength(1);
  });

  test('a break does not count', () => {
    const watch = new Watch().run(5 * MINUTE, STANDS).run(35 * MINUTE, STANDS, 'Early', false);
    expect(watch.run(44 * MINUTE, STANDS).alerts).toEqual([]);
    expect(watch.run(46 * MINUTE, STANDS).alerts).toMatchObject([{ beganAt: at(35 * MINUTE - 5_000).now.wallMs }]);
  });

  test('there is a bound, and the others are counted', () => {
    const findings = Array.from({ length: MAX_OPEN_ALERTS + 7 }, (_, place) =>
      held(`RF-${place}`, { forMs: 11 * MINUTE }),
    );
    const newId = counted();
    let evaluation = evaluate(NO_ALERTS, { ...INPUTS, findings }, at(0), { newId });
    expect(evaluation.state.open.size).toBe(MAX_OPENED_AT_ONCE);
    while (evaluation.isMore) evaluation = evaluate(evaluation.state, { ...INPUTS, findings }, at(0), { newId });
    expect(evaluation.state.open.size).toBe(MAX_OPEN_ALERTS);
    expect(evaluation.effects.at(-1)).toEqual({ type: 'full', leftOut: 7 });
  });
});

describe('D-81 somebody is told, and not too often', () => {
  test('step by step, then that it is over, everybody once', () => {
    const watch = new Watch().run(35 * MINUTE, STANDS).run(40 * MINUTE, {});
    expect(watch.messages).toEqual([
      'dana@10: Line RF-1 stands for 10 min',
      'lead@20: Nobody has taken it: Line RF-1 stands for 20 min',
      'boss@30: Nobody has taken it: Line RF-1 stands for 30 min',
      'dana@36: Over: Line RF-1 stands for 36 min',
      'lead@36: Over: Line RF-1 stands for 36 min',
      'boss@36: Over: Line RF-1 stands for 36 min',
    ]);
  });

  test('taking it stops the escalation and is told to those who know', () => {
    const watch = new Watch().run(12 * MINUTE, STANDS);
    const alertId = watch.alerts[0]?.alertId ?? '';
    const taken = take(watch.state, alertId, { name: 'kim', note: 'on the way' }, at(watch.nowMs));
    watch.state = taken?.state ?? NO_ALERTS;
    watch.run(60 * MINUTE, STANDS);
    expect(watch.messages.slice(1)).toEqual(['dana@12: kim takes it: Line RF-1 stands for 12 min']);
    expect(watch.alerts).toMatchObject([{ takenBy: 'kim', note: 'on the way', endedAt: null, nextStepAt: null }]);
  });

  test('many at once are one message, the rest in the next', () => {
    const many = Array.from({ length: 25 }, (_, place) => held(`RF-${place}`, { forMs: 11 * MINUTE }));
    const [first = ''] = new Watch().run(MINUTE, { findings: many }).messages;
    expect(first.startsWith('dana@0: 25 alerts | Line RF-0 stands')).toBe(true);
    expect(first.endsWith('and 5 more')).toBe(true);
  });

  test('who cannot be reached by any channel is not waited for', () => {
    const shy = [{ ...DANA, ways: [] }];
    expect(new Watch().run(11 * MINUTE, { ...STANDS, recipients: shy }).run(20 * MINUTE, {}).messages).toEqual([]);
  });

  const night = { fromMinute: 12 * 60, toMinute: 13 * 60, weekdays: [] } as const;
  const amber = {
    ...STANDS,
    findings: [held('RF-1', { ruleId: 'late', kind: 'taskLate', forMs: 11 * MINUTE, detail: 'Line 1' })],
  };
  const late = [
    { ...HELD_RULE, ruleId: 'late', kind: 'taskLate' as const, steps: [{ afterMinutes: 0, to: ['dana'] }] },
  ];

  test.each([
    ['amber waits until they end', false, amber, ['dana@60: RF-1 is 1 h 11 late for Line 1']],
    ['red comes if wanted', true, { ...STANDS, rules: [HELD_RULE] }, ['dana@10: Line RF-1 stands for 10 min']],
    ['red waits too if not wanted', false, STANDS, ['dana@60: Line RF-1 stands for 1 h']],
  ])('quiet hours: %s', (_, redComes, inputs, expected) => {
    const recipients = [recipient('dana', { quiet: { ...night, redComes } })];
    expect(
      new Watch().run(62 * MINUTE, {
        rules: late,
        ...inputs,
        ...(inputs === STANDS && { rules: [HELD_RULE] }),
        recipients,
      }).messages,
    ).toEqual(expected);
  });

  test('an alert that came and went in quiet hours is told afterwards, once', () => {
    const recipients = [recipient('dana', { quiet: { ...night, redComes: false } })];
    const watch = new Watch().run(20 * MINUTE, { ...STANDS, recipients }).run(62 * MINUTE, { recipients });
    expect(watch.messages).toEqual(['dana@60: Over: Line RF-1 stands for 21 min']);
  });
});

const minutes = fc.integer({ min: 1, max: 40 });

describe('D-82 a restart neither loses nor repeats', () => {
  test('whenever the gateway is killed, the same people hear the same things', () => {
    fc.assert(
      fc.property(minutes, minutes, (killedAt, standsFor) => {
        const whole = new Watch().run(standsFor * MINUTE, STANDS).run(80 * MINUTE, {});
        const killed = new Watch();
        for (const [untilMinute, inputs] of [
          [standsFor, STANDS],
          [80, {}],
        ] as const) {
          killed.run(Math.min(untilMinute, killedAt) * MINUTE, inputs);
          if (killed.nowMs === killedAt * MINUTE) killed.state = restored(killed);
          killed.run(untilMinute * MINUTE, inputs);
        }
        // Before the alert was open the time of the cause is in memory alone, and comes with the finding.
        const isOpen = standsFor > 10 && killedAt > 10;
        if (isOpen) expect(tellings(killed)).toEqual(tellings(whole));
      }),
    );
  });

  test('nobody gets two messages within a minute, and nothing is owed for ever', () => {
    const machine = fc.integer({ min: 1, max: 6 });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.uniqueArray(machine), minutes), { maxLength: 8 }), (phases) => {
        const watch = new Watch();
        for (const [machines, forMinutes] of phases) {
          const findings = machines.map((id) => held(`RF-${id}`));
          watch.run(watch.nowMs + forMinutes * MINUTE, { findings });
        }
        watch.run(watch.nowMs + 10 * MINUTE, {});
        expect(watch.alerts.every(({ endedAt, owed }) => endedAt !== null && owed.length === 0)).toBe(true);
        expect(watch.state.open.size).toBe(0);
        for (const id of ['dana', 'lead', 'boss']) {
          const times = watch.effects.flatMap((effect) =>
            effect.type === 'message' && effect.message.recipientId === id ? [effect.atMs] : [],
          );
          const pauses = times.slice(1).map((ms, place) => ms - (times[place] ?? 0));
          expect(Math.min(BETWEEN_MESSAGES_MS, ...pauses)).toBe(BETWEEN_MESSAGES_MS);
        }
        for (const { told } of watch.alerts) {
          const opened = told.filter(({ telling }) => telling !== 'over').map(({ recipientId }) => recipientId);
          expect(new Set(opened).size).toBe(opened.length);
          expect(new Set(told.filter(({ telling }) => telling === 'over').map((one) => one.recipientId))).toEqual(
            new Set(opened),
          );
        }
      }),
    );
  });
});

/** The state as it comes from disk. */
function restored(watch: Watch) {
  const open = watch.alerts.filter(({ endedAt, owed }) => endedAt === null || owed.length > 0);
  return restoreAlerts(JSON.parse(JSON.stringify(open)) as Alert[], at(watch.nowMs));
}

function tellings(watch: Watch): readonly string[] {
  return watch.alerts
    .flatMap(({ subject, told }) => told.map(({ recipientId, telling }) => `${subject} ${recipientId} ${telling}`))
    .sort();
}

function counted(): () => string {
  let count = 0;
  return () => `id-${++count}`;
}
