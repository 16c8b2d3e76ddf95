import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { User } from '../../../src/domain/plant/plant.ts';
import type { SessionRecord, StoredSession } from '../../../src/flows/people/people-ports.ts';
import { PANEL_IDLE_MS, SESSION_IDLE_MS, SESSION_KEPT_EVERY_MS, Sessions } from '../../../src/flows/people/sessions.ts';

const PANEL = { id: 'panel-1', name: 'Panel by line 4' };
const ORIGIN = 'http://gate';
const PAT: User = { name: 'pat', role: 'technician', passwordHash: 'hash', badgeHash: null, pinHash: null };

/** People's sessions over restarts of a gateway whose disk keeps each record. */
class SessionsUnderTest {
  readonly #disk = new Map<string, StoredSession>();
  users: readonly User[] = [PAT];
  panels: readonly string[] = [PANEL.id];
  wallMs = 1_700_000_000_000;
  #monotonicMs = 0;
  #tokens = 0;
  records = 0;
  sessions = this.#open();

  pass(forMs: number): void {
    this.wallMs += forMs;
    this.#monotonicMs += forMs;
  }

  /** The computer is off for a while: its monotonic clock begins anew. */
  restart(offMs: number): void {
    this.wallMs += offMs;
    this.#monotonicMs = 0;
    this.sessions = this.#open();
  }

  signIn(isAtPanel = false): string {
    const place = { origin: ORIGIN, address: '10.0.0.7', panel: isAtPanel ? PANEL : null };
    return this.sessions.open(PAT, place).token;
  }

  isIn(token: string): boolean {
    return this.sessions.session(token, ORIGIN, true) !== null;
  }

  onDisk(): string {
    return JSON.stringify([...this.#disk.values()]);
  }

  #open(): Sessions {
    return new Sessions({
      users: () => this.users,
      isEnrolled: (panelId) => this.panels.includes(panelId),
      newToken: () => `token ${++this.#tokens}`,
      digestOf: (text) => createHash('sha256').update(text).digest('base64url'),
      clock: { now: () => ({ monotonicMs: this.#monotonicMs, wallMs: this.wallMs }) },
      stored: [...this.#disk.values()].sort((one, other) => one.lastUsedAt - other.lastUsedAt),
      record: (records) => records.forEach(this.#keep),
      write: async (records) => records.forEach(this.#keep),
    });
  }

  readonly #keep = (record: SessionRecord): void => {
    this.records += 1;
    if (record.kind === 'personSession') this.#disk.set(record.session.sessionId, record.session);
    else this.#disk.delete(record.sessionId);
  };
}

const STEP = fc.record({
  passMs: fc.oneof(
    fc.integer({ min: 0, max: 2 * SESSION_KEPT_EVERY_MS }),
    fc.integer({ min: 0, max: SESSION_IDLE_MS }),
  ),
  isRestart: fc.boolean(),
});

/** Whether the person may be in. A restart may end a session a minute sooner. */
function possible(unusedMs: number, idleMs: number): readonly boolean[] {
  if (unusedMs >= idleMs) return [false];
  return unusedMs < idleMs - SESSION_KEPT_EVERY_MS ? [true] : [true, false];
}

it('D-96 F26 a session goes on over restarts as long as it is used, and never longer than without them', () => {
  fc.assert(
    fc.property(fc.array(STEP, { maxLength: 30 }), fc.boolean(), (steps, isAtPanel) => {
      const under = new SessionsUnderTest();
      const idleMs = isAtPanel ? PANEL_IDLE_MS : SESSION_IDLE_MS;
      const token = under.signIn(isAtPanel);
      let unusedMs = 0;
      let isOver = false;
      for (const { passMs, isRestart } of steps) {
        if (isRestart) under.restart(passMs);
        else under.pass(passMs);
        unusedMs += passMs;
        const isIn = under.isIn(token);
        expect(possible(isOver ? idleMs : unusedMs, idleMs)).toContain(isIn);
        unusedMs = isIn ? 0 : unusedMs;
        isOver = !isIn;
      }
    }),
  );
});

it.each<[string, (under: SessionsUnderTest, token: string) => unknown]>([
  ['the person signed out', ({ sessions }) => sessions.signOut(sessions.sessionsOf('pat')[0]?.sessionId ?? '')],
  ['the person signed out everywhere', ({ sessions }) => sessions.signOutEverywhere('pat')],
  ['the password changed', (under) => (under.users = [{ ...PAT, passwordHash: 'other' }])],
  ['the badge changed', (under) => (under.users = [{ ...PAT, badgeHash: 'other' }])],
  ['the PIN changed', (under) => (under.users = [{ ...PAT, pinHash: 'other' }])],
  ['the role changed', (under) => (under.users = [{ ...PAT, role: 'business' }])],
  ['the person was removed', (under) => (under.users = [])],
  ['the panel was revoked', (under) => (under.panels = [])],
])('D-96 a session that is over stays over after a restart: %s', async (_, end) => {
  const under = new SessionsUnderTest();
  const token = under.signIn(true);
  await end(under, token);
  under.restart(0);
  expect(under.isIn(token)).toBe(false);
  Object.assign(under, { users: [PAT], panels: [PANEL.id] });
  under.restart(0);
  expect(under.isIn(token)).toBe(false);
  expect(under.onDisk()).toBe('[]');
});

it('D-96 a clock that was set back ends no session, and an earlier start prolongs none for ever', () => {
  const under = new SessionsUnderTest();
  const token = under.signIn();
  under.restart(-40 * SESSION_IDLE_MS);
  expect(under.isIn(token)).toBe(true);
  under.pass(SESSION_IDLE_MS);
  expect(under.isIn(token)).toBe(false);
});

it('D-96 the disk has no token, and is written once a minute at most for a session in use', () => {
  const under = new SessionsUnderTest();
  const token = under.signIn();
  for (let second = 0; second < 3_600; second++) {
    under.pass(1_000);
    expect(under.isIn(token)).toBe(true);
  }
  expect(under.onDisk()).not.toContain(token);
  expect(under.records).toBeLessThanOrEqual(61);
});

it('D-96 a restart keeps where and since when people are signed in, the last used session first', () => {
  const under = new SessionsUnderTest();
  for (const isAtPanel of [true, false]) {
    under.signIn(isAtPanel);
    under.pass(1_000);
  }
  const before = under.sessions.sessionsOf('pat');
  expect(before.map(({ panel }) => panel)).toEqual([null, PANEL.name]);
  under.restart(1_000);
  expect(under.sessions.sessionsOf('pat')).toEqual(before);
  expect(under.sessions.people()).toMatchObject([{ name: 'pat', sessions: 2, lastSeenAt: before[0]?.lastUsedAt }]);
});
