import { describe, expect, it } from 'vitest';
import { collectAllStartGarbage } from '../../../src/adapters/store/thread/start-garbage.ts';
import { IncidentLog } from '../../../src/flows/local-api/incident-log.ts';

const MINUTE_MS = 60_000;

class Book {
  now = { monotonicMs: 0, wallMs: Date.UTC(2026, 2, 2) };
  readonly lines: object[] = [];
  readonly book = new IncidentLog(
    { now: () => this.now },
    {
      debug: () => undefined,
      info: () => undefined,
      error: () => undefined,
      warn: (fields) => void this.lines.push(fields),
    },
  );

  pass(milliseconds: number, jumpMs = 0): void {
    const { monotonicMs, wallMs } = this.now;
    this.now = { monotonicMs: monotonicMs + milliseconds, wallMs: wallMs + milliseconds + jumpMs };
  }

  report(subject: string): void {
    this.book.report({ kind: 'unknownDevice', subject, detail: 'seen, not configured' });
  }
}

describe('IncidentLog', () => {
  it('MQTT-12 counts all incidents, and keeps only the newest subjects', () => {
    const under = new Book();
    for (let count = 0; count < 2_000; count++) under.report(`made-up-${count}`);
    expect(under.book.counts().get('unknownDevice')).toBe(2_000);
    expect(under.book.entries('unknownDevice')[0]?.subject).toBe('made-up-1999');
    expect(under.book.entries('unknownDevice').length).toBe(500);
  });

  it('MQTT-12, D-25 keeps the beginning of a large message in memory, and not the rest', async () => {
    const under = new Book();
    const before = process.memoryUsage().heapUsed;
    for (let count = 0; count < 200; count++) {
      const large = `${count}${'x'.repeat(250_000)}`;
      under.book.report({ kind: 'malformed', subject: `made-up-${count}`, detail: large, example: large });
    }
    await collectAllStartGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000);
    expect(under.book.entries('malformed')[0]?.faults[0]?.example).toBe(`199${'x'.repeat(197)}`);
  });

  it.each([
    ['a sentence that fits', 'seen, not configured', 'seen, not configured'],
    ['a long sentence at a blank', `${'word '.repeat(99)}machines`, `${'word '.repeat(99).trimEnd()}…`],
    ['a long word anywhere', 'x'.repeat(501), `${'x'.repeat(499)}…`],
  ])('cuts %s', (_, detail, kept) => {
    const under = new Book();
    under.book.report({ kind: 'malformed', subject: 'RF-01', detail });
    expect(under.book.entries('malformed')[0]?.detail).toBe(kept);
  });

  it('MQTT-12, D-25 keeps a name from a large message in memory, and not the rest', async () => {
    const under = new Book();
    const before = process.memoryUsage().heapUsed;
    for (let count = 0; count < 200; count++) {
      const large = `"invented-machine-${count}"${'x'.repeat(250_000)}`;
      under.report(large.slice(1, large.indexOf('"', 1)));
    }
    await collectAllStartGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000);
    expect(under.book.entry('unknownDevice', 'invented-machine-199')?.count).toBe(1);
  });

  it('MQTT-12 does not flood the log after a flood of invented names, and counts the lines left out', () => {
    const under = new Book();
    for (let count = 0; count < 10_000; count++) under.report(`made-up-${count}`);
    expect(under.lines.length).toBeLessThanOrEqual(50);
    under.pass(MINUTE_MS + 1);
    under.report('one-more');
    expect(under.lines.at(-1)).toMatchObject({ subject: 'one-more', notLogged: 10_000 - (under.lines.length - 1) });
  });

  it('D-36 logs trouble that goes on once a minute, with the number of incidents that got no line', () => {
    const under = new Book();
    for (let second = 0; second <= 180; second++) {
      under.report('RF-1');
      under.pass(1_000);
    }
    const line = { subject: 'RF-1', repeated: 59 };
    expect(under.lines).toEqual([
      expect.not.objectContaining({ repeated: 59 }),
      ...Array(3).fill(expect.objectContaining(line)),
    ]);
  });

  it('D-04 logs no further line when the wall clock is set', () => {
    const under = new Book();
    under.report('RF-1');
    under.pass(1_000, -365 * 24 * 60 * MINUTE_MS);
    under.report('RF-1');
    expect(under.lines.length).toBe(1);
  });
});

describe('the distinct faults of a subject', () => {
  it('D-36 have a count, times, an example and the address each', () => {
    const under = new Book();
    const kind = 'malformed';
    for (let count = 0; count < 3; count++) {
      under.book.report({
        kind,
        subject: 'RF-1',
        detail: `cycle: found "${count}x"`,
        address: '10.0.0.7',
        example: '{',
      });
      under.book.report({ kind, subject: 'RF-1', detail: 'running: found nothing', address: '10.0.0.7' });
      under.pass(1_000);
    }
    const [entry] = under.book.entries(kind);
    expect(entry).toMatchObject({ count: 6 });
    expect(entry?.faults).toMatchObject([
      { detail: 'running: found nothing', count: 3, example: null, address: '10.0.0.7' },
      { detail: 'cycle: found "2x"', count: 3, example: '{', lastAt: (entry?.firstAt ?? 0) + 2_000 },
    ]);
    expect(under.lines.length).toBe(2);
  });

  it('D-47 are dismissed for one machine alone; a fault with new content is shown again', () => {
    const { book } = new Book();
    const publish = (topic: string, meantFor: string) =>
      book.report({ kind: 'unmatchedTopic', subject: 'plc', detail: `publishes on ${topic}`, meantFor });
    publish('a/status', 'RF-01');
    publish('b/status', 'RF-02');
    expect(book.dismiss({ kind: 'unmatchedTopic', subject: 'plc', meantFor: 'RF-03' })).toBe(false);
    expect(book.dismiss({ kind: 'unmatchedTopic', subject: 'plc', meantFor: 'RF-01' })).toBe(true);
    publish('a/status', 'RF-01');
    publish('c/status', 'RF-01');
    const faults = book.entry('unmatchedTopic', 'plc')?.faults ?? [];
    expect(faults.map(({ detail, count, isDismissed }) => [detail, count, isDismissed])).toEqual([
      ['publishes on c/status', 1, false],
      ['publishes on a/status', 2, true],
      ['publishes on b/status', 1, false],
    ]);
  });

  it('D-47 are shown again when the device uses another topic root, even if only a number in the text differs', () => {
    const { book } = new Book();
    const knock = (topicRoot: string) =>
      book.report({ kind: 'unknownDevice', subject: 'X-1', detail: `it publishes on ${topicRoot}/status`, topicRoot });
    const areDismissed = () => book.entry('unknownDevice', 'X-1')?.faults.map(({ isDismissed }) => isDismissed);
    knock('plant1/line-1');
    expect(book.dismiss({ kind: 'unknownDevice', subject: 'X-1' })).toBe(true);
    knock('plant1/line-1');
    expect(areDismissed()).toEqual([true]);
    knock('plant1/line-2');
    expect(areDismissed()).toEqual([false]);
  });

  it('D-25 hold a bounded number of characters of each kind', () => {
    const under = new Book();
    for (let count = 0; count < 5_000; count++) {
      const words = `${'x'.repeat(450)}${String.fromCharCode(97 + (count % 26))}`;
      under.book.report({ kind: 'malformed', subject: `RF-${count % 400}`, detail: words, example: words });
    }
    const entries = under.book.entries('malformed');
    const characters = JSON.stringify(entries.map(({ faults }) => faults)).length;
    expect(entries.length).toBeGreaterThan(10);
    expect(characters).toBeLessThan(200_000);
  });
});
