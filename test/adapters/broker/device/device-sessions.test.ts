import { describe, expect, it } from 'vitest';
import { DeviceSession } from '../../../../src/adapters/broker/device/device-session.ts';
import { DeviceSessions } from '../../../../src/adapters/broker/device/device-sessions.ts';
import { GatheredCommits } from '../../../../src/adapters/broker/persistence/gathered-commits.ts';
import { BrokerStage, COMMAND_TOPICS, RowJournal } from '../broker-under-test.ts';

const stage = new BrokerStage();
const clock = { now: () => ({ monotonicMs: performance.now(), wallMs: Date.now() }) };

/** Also counts the rows that are handed over. */
class CountingJournal extends RowJournal {
  puts = 0;

  override record(...[records]: Parameters<RowJournal['record']>): void {
    this.puts += records.filter(({ kind }) => kind === 'brokerPut').length;
    super.record(records);
  }
}

function filtersOf(journal: RowJournal, machineId: string): readonly string[] {
  const row = journal.rows.get(`session device\u0000${machineId}`);
  const { filters } = JSON.parse(Buffer.from(row?.value ?? '{"filters":[]}').toString());
  return filters.map(([filter]: readonly [string]) => filter);
}

describe('sessions of machines', () => {
  it('MQTT-10 the changes of a CONNECT and of the SUBSCRIBE after its answer are written once', async () => {
    const journal = new CountingJournal();
    const under = await stage.start({}, journal);
    const client = await stage.connected(under.port, 'RF-1', { clean: false });
    await client.subscribe(...COMMAND_TOPICS.map((topic) => [topic, 1] as const));
    await expect.poll(() => filtersOf(journal, 'RF-1')).toEqual(COMMAND_TOPICS);
    expect(journal.puts).toBe(1);
  });

  it('MQTT-10 a broker that is closed before the write still writes the session', async () => {
    const journal = new RowJournal();
    const under = await stage.start({}, journal);
    const client = await stage.connected(under.port, 'RF-1', { clean: false });
    await client.subscribe([COMMAND_TOPICS[0] ?? '', 1]);
    await stage.stop(under);
    expect(filtersOf(journal, 'RF-1')).toEqual(COMMAND_TOPICS.slice(0, 1));
  });

  it('MQTT-10 the first sessions of a large number are written before the others have come', () => {
    const journal = new CountingJournal();
    const sessions = new DeviceSessions({ journal, commits: new GatheredCommits(journal), clock }, []);
    for (let machine = 0; machine < 250; machine += 1)
      sessions.save(`RF-${machine}`, new DeviceSession(Number.POSITIVE_INFINITY));
    expect(journal.puts).toBe(200);
    sessions.flush();
    expect(journal.puts).toBe(250);
  });
});
