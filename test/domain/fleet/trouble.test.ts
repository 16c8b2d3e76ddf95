import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contactOf } from '../../../src/domain/fleet/contact.ts';
import { clockError, type GatewayHealth } from '../../../src/domain/fleet/gateway-health.ts';
import {
  type JudgedGateway,
  TROUBLE_KINDS,
  TROUBLE_LIMITS,
  type TroubleKind,
  troubleOf,
  troublesOf,
} from '../../../src/domain/fleet/trouble.ts';
import { HEALTHY } from '../../fakes/gateway-health.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TERMS = { limits: TROUBLE_LIMITS, version: '2.5.0' };

function gateway(health: Partial<GatewayHealth>): JudgedGateway {
  return { contact: { state: 'live' }, health: { ...HEALTHY, ...health } };
}

/** A round trip of 200 ms, at whose middle the gateway's clock was this far ahead. */
function ahead(aheadMs: number, roundTripMs = 200): Partial<GatewayHealth> {
  return { exchange: { sentAt: 1_000_000 + aheadMs - roundTripMs / 2, roundTripMs, receivedAt: 1_000_000 } };
}

describe('D-97 the contact with a gateway', () => {
  it.each([
    ['was heard lately', { agoMs: 59_999, storedAgoMs: null, upMs: HOUR }, { state: 'live' }],
    ['is silent for 60 s', { agoMs: 60_000, storedAgoMs: null, upMs: HOUR }, { state: 'silent', forMs: 60_000 }],
    ['was heard by another node', { agoMs: HOUR, storedAgoMs: 5_000, upMs: HOUR }, { state: 'live' }],
    ['was heard just before a restart here', { agoMs: null, storedAgoMs: 20_000, upMs: 1_000 }, { state: 'live' }],
    ['gets time to come back after a start', { agoMs: null, storedAgoMs: DAY, upMs: 59_000 }, { state: 'awaited' }],
    ['has not come back', { agoMs: null, storedAgoMs: DAY, upMs: MINUTE }, { state: 'silent', forMs: DAY }],
    [
      'was last heard in the future',
      { agoMs: null, storedAgoMs: -DAY, upMs: MINUTE },
      { state: 'silent', forMs: MINUTE },
    ],
  ])('a gateway that %s', (_, heard, contact) => {
    expect(contactOf(heard, MINUTE)).toEqual(contact);
  });
});

describe('D-97 what is wrong at a gateway', () => {
  it.each<[string, TroubleKind, JudgedGateway, object | null]>([
    ['a silent one', 'silent', { contact: { state: 'silent', forMs: 90_000 }, health: null }, { value: 90_000 }],
    ['an awaited one', 'silent', { contact: { state: 'awaited' }, health: null }, null],
    ['a clock 4 s ahead', 'clock', gateway(ahead(4_000)), null],
    ['a clock nearly 5 s ahead', 'clock', gateway(ahead(4_900)), { isNear: true }],
    ['a clock 6 s ahead', 'clock', gateway(ahead(6_000)), { value: 6_000, limit: 5_000, isNear: false }],
    ['a clock 2 h behind', 'clock', gateway(ahead(-2 * HOUR)), { value: -2 * HOUR, isNear: false }],
    ['a difference that the transit explains', 'clock', gateway(ahead(9_000, 12_000)), null],
    ['a first report', 'clock', gateway({ exchange: null }), null],
    ['an older version', 'version', gateway({ version: '2.4.9' }), { value: null }],
    ['an older version, by number', 'version', gateway({ version: '2.10.0' }), null],
    ['the same version', 'version', gateway({ version: '2.5.0' }), null],
    ['a version of its own', 'version', gateway({ version: 'built-here' }), null],
    ['a disk with room', 'disk', gateway({ disk: { freePercent: 30, leastPercent: 10 } }), null],
    [
      'a disk below its own limit',
      'disk',
      gateway({ disk: { freePercent: 30, leastPercent: 40 } }),
      { value: 30, limit: 40 },
    ],
    ['a disk without an answer', 'disk', gateway({ disk: null }), null],
    ['a young backup', 'backup', gateway({ backups: { newestAgeMs: 26 * HOUR } }), null],
    ['an old backup', 'backup', gateway({ backups: { newestAgeMs: 27 * HOUR } }), { value: 27 * HOUR }],
    ['no backup', 'backup', gateway({ backups: { newestAgeMs: null } }), { value: null, isNear: false }],
    ['backups that are not known', 'backup', gateway({ backups: null }), null],
    ['a long certificate', 'certificate', gateway({ certificateLeftMs: 48 * DAY }), null],
    [
      'a short certificate',
      'certificate',
      gateway({ certificateLeftMs: 20 * DAY }),
      { value: 20 * DAY, isNear: false },
    ],
    ['a certificate that is over', 'certificate', gateway({ certificateLeftMs: -DAY }), { value: -DAY, isNear: false }],
    ['no certificate', 'certificate', gateway({ certificateLeftMs: null }), null],
    ['a young queue', 'queue', gateway({ queue: { records: 9_000, oldestAgeMs: MINUTE } }), null],
    ['an old queue', 'queue', gateway({ queue: { records: 1, oldestAgeMs: 31 * MINUTE } }), { value: 31 * MINUTE }],
    ['dead letters', 'setAside', gateway({ setAside: 2 }), { value: 2, isNear: false }],
  ])('%s', (_, kind, judged, trouble) => {
    const found = troubleOf(kind, judged, TERMS);
    if (trouble === null) expect(found).toBeNull();
    else expect(found).toMatchObject({ kind, ...trouble });
  });

  it('a healthy gateway has no trouble, and one that tells nothing only its silence', () => {
    expect(troublesOf(gateway({}), new Set(TROUBLE_KINDS), TERMS)).toEqual([]);
    const silent: JudgedGateway = { contact: { state: 'silent', forMs: DAY }, health: null };
    expect(troublesOf(silent, new Set(), TERMS)).toMatchObject([{ kind: 'silent' }]);
  });

  it('near its limit it goes on, and does not begin', () => {
    const near = gateway(ahead(4_900));
    expect(troublesOf(near, new Set(), TERMS)).toEqual([]);
    expect(troublesOf(near, new Set(['clock']), TERMS)).toMatchObject([{ kind: 'clock', isNear: true }]);
  });

  it('the worst stands first, and the newest report of a silent gateway counts on', () => {
    const contact = { state: 'silent', forMs: DAY } as const;
    const health = { ...HEALTHY, version: '1.0.0', setAside: 1, disk: { freePercent: 1, leastPercent: 10 } };
    const kinds = troublesOf({ contact, health }, new Set(), TERMS).map(({ kind }) => kind);
    expect(kinds).toEqual(['silent', 'disk', 'setAside', 'version']);
  });
});

it('D-97 the error of a clock is right within half of the round trip, however the way is divided', () => {
  const ms = fc.integer({ min: 0, max: 600_000 });
  fc.assert(
    fc.property(fc.integer({ min: -1e9, max: 1e9 }), ms, ms, (aheadMs, there, back) => {
      const receivedAt = 1.7e12;
      const error = clockError({ sentAt: receivedAt - there + aheadMs, roundTripMs: there + back, receivedAt });
      expect(Math.abs(error.aheadMs - aheadMs)).toBeLessThanOrEqual(error.withinMs);
    }),
  );
});
