import { describe, expect, test } from 'vitest';
import {
  type AlertRule,
  DEFAULT_RULES,
  RULE_KINDS,
  UNITS,
  withDefaults,
} from '../../../src/domain/alert/alert-rule.ts';
import { alertSentence } from '../../../src/domain/alert/alert-words.ts';
import {
  type GatewayFacts,
  gatewayFindings,
  type MachineFacts,
  machineFindings,
  needOf,
  unknownRules,
} from '../../../src/domain/alert/findings.ts';
import { isReachable, recipientsOf } from '../../../src/domain/alert/recipient.ts';
import { beginHour, notePieces, scrapPercent } from '../../../src/domain/alert/scrap-hour.ts';
import type { Contact } from '../../../src/domain/fleet/contact.ts';
import type { GatewayHealth } from '../../../src/domain/fleet/gateway-health.ts';
import { HEALTHY } from '../../fakes/gateway-health.ts';
import { at, MINUTE, recipient } from './alert-samples.ts';

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const CALM: GatewayFacts = {
  lateTasks: [],
  variables: [],
  queueOldMs: 0,
  diskFreePercent: 50,
  backupAgeMs: HOUR,
  certificates: [],
  clockJump: null,
  database: null,
  channels: [],
  fleet: { gateways: [], version: '1.0.0' },
};
const RUNS: MachineFacts = {
  machineId: 'RF-1',
  name: 'Purlin line 1',
  area: 'Hall A',
  held: null,
  fault: null,
  silent: null,
  scrapPercent: 1,
};
const MACHINE = { machineId: 'RF-1', name: 'Purlin line 1', area: 'Hall A' };
const PRESSURE: AlertRule = {
  ...ruleOf('held'),
  ruleId: 'pressure',
  kind: 'variable',
  variable: { name: 'pressure', low: 1_650, high: 2_000 },
};

function ruleOf(kind: AlertRule['kind']): AlertRule {
  const rule = DEFAULT_RULES.find((one) => one.kind === kind);
  if (rule === undefined) throw new Error(`no default of ${kind}`);
  return rule;
}

describe('D-80 the rules', () => {
  test('each kind but that of variables has a default, which is off and tells somebody', () => {
    expect([...DEFAULT_RULES.map(({ kind }) => kind), 'variable'].sort()).toEqual([...RULE_KINDS].sort());
    for (const { kind, isOn, limit, steps } of DEFAULT_RULES) {
      expect(isOn).toBe(false);
      expect(steps[0]?.to.length).toBeGreaterThan(0);
      expect(limit >= UNITS[kind].least && limit <= UNITS[kind].most).toBe(true);
    }
  });

  test('a changed default stands in its place, an own rule behind them', () => {
    const rules = withDefaults([{ ...ruleOf('fault'), limit: 3 }, PRESSURE]);
    expect(rules).toHaveLength(DEFAULT_RULES.length + 1);
    expect(rules[1]).toMatchObject({ ruleId: 'fault', limit: 3 });
    expect(rules.at(-1)).toBe(PRESSURE);
  });

  test.each([
    ['noPart', 'held'],
    ['downtimeOpen', 'held'],
    ['silent', 'silent'],
    ['messagesRefused', 'silent'],
    ['powerOff', null],
    ['neverHeard', null],
    ['fieldMissing', null],
  ] as const)('a machine that may not run because of %s is %s', (kind, need) => {
    expect(needOf({ kind } as Parameters<typeof needOf>[0])).toBe(need);
  });

  test.each<[string, Partial<AlertRule>, Partial<MachineFacts>, number]>([
    ['held', ruleOf('held'), { held: { forMs: null } }, 1],
    ['not held', ruleOf('held'), {}, 0],
    ['fault', ruleOf('fault'), { fault: { forMs: 1 } }, 1],
    ['silent', ruleOf('silent'), { silent: { forMs: 1 } }, 1],
    ['another machine', { ...ruleOf('held'), machineIds: ['RF-2'] }, { held: { forMs: 1 } }, 0],
    ['its area', { ...ruleOf('held'), areas: ['Hall A'] }, { held: { forMs: 1 } }, 1],
    ['another area', { ...ruleOf('held'), areas: ['Hall B'] }, { held: { forMs: 1 } }, 0],
    ['no area', { ...ruleOf('held'), areas: ['Hall B'] }, { held: { forMs: 1 }, area: null }, 0],
    ['scrap', ruleOf('scrap'), { scrapPercent: 5.1 }, 1],
    ['scrap nearly', ruleOf('scrap'), { scrapPercent: 4.8 }, 1],
    ['no scrap', ruleOf('scrap'), { scrapPercent: 4 }, 0],
  ])('at a machine: %s', (_, rule, facts, count) => {
    expect(machineFindings([rule as AlertRule], { ...RUNS, ...facts })).toHaveLength(count);
  });

  test.each<[string, AlertRule, Partial<GatewayFacts>, object | null]>([
    ['a young queue', ruleOf('queueOld'), { queueOldMs: 20 * MINUTE }, null],
    ['a queue that is nearly too old', ruleOf('queueOld'), { queueOldMs: 29 * MINUTE }, { isNear: true }],
    ['an old queue', ruleOf('queueOld'), { queueOldMs: 31 * MINUTE }, { isNear: false }],
    ['a disk with room', ruleOf('disk'), { diskFreePercent: 11 }, null],
    ['a disk that had too little', ruleOf('disk'), { diskFreePercent: 10.5 }, { isNear: true }],
    ['a disk with too little', ruleOf('disk'), { diskFreePercent: 9.94 }, { isNear: false, value: 9.9 }],
    ['a young backup', ruleOf('backup'), { backupAgeMs: 25 * HOUR }, null],
    ['an old backup', ruleOf('backup'), { backupAgeMs: 27.5 * HOUR }, { value: 27 }],
    ['no backup', ruleOf('backup'), { backupAgeMs: Number.POSITIVE_INFINITY }, { value: null }],
    [
      'a certificate',
      ruleOf('certificate'),
      { certificates: [{ setting: 'http.tls', leftMs: 20.5 * DAY }] },
      { value: 20, subject: 'http.tls' },
    ],
    ['a clock that jumped', ruleOf('clock'), { clockJump: { seconds: -40, agoMs: MINUTE } }, { value: -40 }],
    ['a clock that jumped long ago', ruleOf('clock'), { clockJump: { seconds: -40, agoMs: 2 * HOUR } }, null],
    ['a damaged database', ruleOf('database'), { database: 'setAside' }, { detail: 'setAside' }],
    ['a database at risk', ruleOf('database'), { database: 'atRisk' }, { detail: 'atRisk' }],
    [
      'a channel',
      ruleOf('channel'),
      { channels: [{ channelId: 'mail', name: 'Mail', failingMs: 5 }] },
      { subject: 'mail', forMs: 5 },
    ],
    [
      'a task',
      ruleOf('taskLate'),
      { lateTasks: [{ taskId: 'T-1', machine: MACHINE, lateMs: 11 * MINUTE }] },
      { subject: 'T-1', machineId: 'RF-1' },
    ],
    [
      'a task that is a little late',
      ruleOf('taskLate'),
      { lateTasks: [{ taskId: 'T-1', machine: MACHINE, lateMs: 9 * MINUTE }] },
      null,
    ],
    [
      'a low value',
      PRESSURE,
      variable(1_600),
      { side: 'under', limit: 1_650, isNear: false, subject: 'RF-1/pressure' },
    ],
    ['a value that was low', PRESSURE, variable(1_655), { isNear: true }],
    ['a good value', PRESSURE, variable(1_800), null],
    ['a gateway that is heard', ruleOf('gatewaySilent'), sent({}), null],
    [
      'a silent gateway',
      ruleOf('gatewaySilent'),
      sent({}, { state: 'silent', forMs: 2 * MINUTE }),
      { subject: 'plant-1', name: 'Dayton', forMs: 2 * MINUTE },
    ],
    ['a clock by the limit of the rule', { ...ruleOf('gatewayClock'), limit: 60 }, sent(aheadBy(7_000)), null],
    ['a clock that is ahead', ruleOf('gatewayClock'), sent(aheadBy(7_000)), { value: 7, side: 'over' }],
    ['a clock that is behind', ruleOf('gatewayClock'), sent(aheadBy(-7_000)), { value: 7, side: 'under' }],
    [
      'a disk elsewhere',
      ruleOf('gatewayDisk'),
      sent({ disk: { freePercent: 3.14, leastPercent: 10 } }),
      { value: 3.1 },
    ],
    [
      'a queue elsewhere',
      ruleOf('gatewayQueue'),
      sent({ queue: { records: 1, oldestAgeMs: HOUR } }),
      { forMs: HOUR, isNear: false },
    ],
    ['dead letters elsewhere', ruleOf('gatewaySetAside'), sent({ setAside: 4 }), { value: 4 }],
    ['a backup elsewhere', ruleOf('gatewayBackup'), sent({ backups: { newestAgeMs: 30.5 * HOUR } }), { value: 30 }],
    ['a certificate elsewhere', ruleOf('gatewayCertificate'), sent({ certificateLeftMs: 3.5 * DAY }), { value: 3 }],
    ['an older version', ruleOf('gatewayVersion'), sent({ version: '0.9.0' }), { detail: '0.9.0' }],
    ['a high value', PRESSURE, variable(2_001), { side: 'over', limit: 2_000, isNear: false }],
  ])('outside of machines: %s', (_, rule, facts, finding) => {
    const found = gatewayFindings([rule], { ...CALM, ...facts });
    if (finding === null) expect(found).toEqual([]);
    else expect(found).toMatchObject([finding]);
  });

  test('rules whose facts are not known are named', () => {
    const facts = { ...CALM, lateTasks: null, diskFreePercent: null };
    expect([...unknownRules(DEFAULT_RULES, facts)]).toEqual(['taskLate', 'disk']);
  });

  test('D-97 nobody is said to be silent, or to be heard again, just after a start', () => {
    const facts = { ...CALM, ...sent({}, { state: 'awaited' }) };
    expect([...unknownRules(DEFAULT_RULES, facts)]).toEqual(['gatewaySilent']);
  });
});

function sent(health: Partial<GatewayHealth>, contact: Contact = { state: 'live' }): Partial<GatewayFacts> {
  const gateway = { gatewayId: 'plant-1', name: 'Dayton', contact, health: { ...HEALTHY, ...health } };
  return { fleet: { gateways: [gateway], version: '1.0.0' } };
}

function aheadBy(ms: number): Partial<GatewayHealth> {
  return { exchange: { sentAt: ms, roundTripMs: 0, receivedAt: 0 } };
}

function variable(value: number): Partial<GatewayFacts> {
  return { variables: [{ ruleId: 'pressure', machine: MACHINE, value }] };
}

describe('D-81 who is told', () => {
  const PEOPLE = [
    recipient('a', { role: 'technician', areas: ['Hall A'] }),
    recipient('b', { role: 'technician' }),
    recipient('c'),
  ];

  test.each([
    [['role:technician'], 'Hall A', ['a', 'b']],
    [['role:technician'], 'Hall B', ['b']],
    [['role:technician'], null, ['a', 'b']],
    [['c', 'b'], 'Hall B', ['b', 'c']],
    [['b', 'role:technician'], null, ['a', 'b']],
    [['nobody'], null, []],
  ])('%j of area %s: %j', (to, area, ids) => {
    expect(recipientsOf(to, area, PEOPLE).map(({ recipientId }) => recipientId)).toEqual(ids);
  });

  const NIGHT = { fromMinute: 22 * 60, toMinute: 6 * 60, weekdays: [], redComes: true };
  test.each<[string, Parameters<typeof recipient>[1], string, number, boolean, boolean]>([
    ['no quiet hours', {}, 'Early', 0, true, true],
    ['before the night', { quiet: NIGHT }, 'Late', 9.9 * HOUR, true, true],
    ['in the night', { quiet: NIGHT }, 'Late', 10 * HOUR, true, false],
    ['after midnight', { quiet: NIGHT }, 'Late', 13 * HOUR, true, false],
    ['at its end', { quiet: NIGHT }, 'Late', 18 * HOUR, true, true],
    ['red not wanted', { quiet: { ...NIGHT, redComes: false } }, 'Late', 13 * HOUR, false, false],
    ['a night of another day', { quiet: { ...NIGHT, weekdays: [6, 7] } }, 'Late', 13 * HOUR, true, true],
    ['the night that began on Tuesday', { quiet: { ...NIGHT, weekdays: [2] } }, 'Late', 13 * HOUR, true, false],
    ['its own shift', { shifts: ['Early'] }, 'Early', 0, true, true],
    ['another shift', { shifts: ['Early'] }, 'Late', 0, false, false],
    ['a whole quiet day', { quiet: { ...NIGHT, toMinute: 22 * 60 } }, 'Late', 3 * HOUR, true, false],
  ])('%s', (_, more, shift, ms, red, amber) => {
    const moment = at(ms, shift);
    expect([
      isReachable(recipient('a', more), 'red', moment),
      isReachable(recipient('a', more), 'amber', moment),
    ]).toEqual([red, amber]);
  });
});

describe('scrap of the last hour', () => {
  test('counts an hour, across shifts, and forgets what is older', () => {
    let hour = beginHour('Early', { good: 100, bad: 50 }, 0);
    expect(scrapPercent(hour)).toBe(null);
    for (let minute = 1; minute <= 30; minute += 1)
      hour = notePieces(hour, 'Early', { good: 100 + minute, bad: 50 }, minute * MINUTE);
    expect(scrapPercent(hour)).toBe(0);
    for (let minute = 31; minute <= 60; minute += 1)
      hour = notePieces(hour, 'Late', { good: 0, bad: minute - 30 }, minute * MINUTE);
    expect(scrapPercent(hour)).toBe(50);
    for (let minute = 61; minute <= 130; minute += 1)
      hour = notePieces(hour, 'Late', { good: minute - 60, bad: 30 }, minute * MINUTE);
    expect(scrapPercent(hour)).toBe(0);
    expect(hour.samples.length).toBeLessThanOrEqual(15);
  });
});

const CAUSE = {
  ruleId: 'r',
  subject: 'S-1',
  name: 'Purlin line 1',
  machineId: null,
  area: null,
  detail: 'detail',
  value: 12.34,
  limit: 5,
  side: 'over',
} as const;

test('each kind has a sentence in both languages', () => {
  for (const kind of RULE_KINDS) {
    const [english, german] = [
      alertSentence({ ...CAUSE, kind }, 84 * MINUTE, 'en'),
      alertSentence({ ...CAUSE, kind }, 84 * MINUTE, 'de'),
    ];
    expect(english).not.toBe(german);
    expect(`${english}${german}`).not.toMatch(/undefined|null/);
  }
  expect(alertSentence({ ...CAUSE, kind: 'held' }, 84 * MINUTE, 'de')).toBe('Purlin line 1 steht seit 1 h 24');
  expect(alertSentence({ ...CAUSE, kind: 'scrap' }, 0, 'de')).toBe('Purlin line 1: 12,3 % Ausschuss in einer Stunde');
});

test.each([
  [-1, 'has expired', 'ist abgelaufen'],
  [0, 'expires within 24 h', 'läuft in weniger als 24 h ab'],
  [1, 'expires in 1 day', 'läuft in 1 Tag ab'],
  [20, 'expires in 20 days', 'läuft in 20 Tagen ab'],
])('D-80 a certificate with %d whole days left is told in words', (value, english, german) => {
  for (const kind of ['certificate', 'gatewayCertificate'] as const) {
    expect(alertSentence({ ...CAUSE, kind, value }, 0, 'en')).toMatch(new RegExp(`(S-1|Purlin line 1) ${english}$`));
    expect(alertSentence({ ...CAUSE, kind, value }, 0, 'de')).toMatch(new RegExp(`(S-1|Purlin line 1) ${german}$`));
  }
});
