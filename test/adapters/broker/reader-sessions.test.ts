import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/adapters/broker/limits.ts';
import { GatheredCommits } from '../../../src/adapters/broker/persistence/gathered-commits.ts';
import { ReaderSessions } from '../../../src/adapters/broker/readers/reader-sessions.ts';
import { RowJournal } from './broker-under-test.ts';

const DAY_MS = 24 * 3_600_000;
const YEAR_MS = 365 * DAY_MS;

class Table {
  now = { monotonicMs: 0, wallMs: YEAR_MS };
  readonly journal = new RowJournal();
  table = this.#open();

  pass(milliseconds: number, wallMs = milliseconds): void {
    this.now = { monotonicMs: this.now.monotonicMs + milliseconds, wallMs: this.now.wallMs + wallMs };
  }

  restart(): void {
    this.now = { monotonicMs: 0, wallMs: this.now.wallMs };
    this.table = this.#open();
  }

  #open(): ReaderSessions {
    const options = {
      journal: this.journal,
      commits: new GatheredCommits(this.journal),
      clock: { now: () => this.now },
      onForgotten: () => undefined,
      isServedElsewhere: () => () => false,
    };
    return new ReaderSessions(options, [...this.journal.rows.values()]);
  }
}

function away(): Table {
  const under = new Table();
  const reader = under.table.open('reader', 1, LIMITS.sessionExpiryMs);
  if (reader !== null) under.table.left(reader);
  return under;
}

describe('sessions whose client is away', () => {
  it('MQTT-10 are forgotten after a week', () => {
    const under = away();
    under.pass(LIMITS.sessionExpiryMs);
    expect([...under.table.expired()]).toEqual([]);
    under.pass(1);
    expect([...under.table.expired()]).toEqual(['reader']);
  });

  it('MQTT-10 are forgotten after a week over restarts too', () => {
    const under = away();
    under.pass(4 * DAY_MS);
    under.restart();
    under.pass(4 * DAY_MS);
    expect([...under.table.expired()]).toEqual(['reader']);
  });

  it.each([
    ['years ahead', 20 * YEAR_MS],
    ['years back', -20 * YEAR_MS],
  ])('D-04 are kept when the wall clock is set %s, before and after a restart', (_, jumpMs) => {
    const under = away();
    under.pass(60_000, jumpMs);
    expect([...under.table.expired()]).toEqual([]);
    under.restart();
    under.pass(LIMITS.sessionGraceMs);
    expect([...under.table.expired()]).toEqual([]);
  });
});
