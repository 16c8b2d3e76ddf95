import { describe, expect, it } from 'vitest';
import { FloorUnderTest, machine, NO_STORED_STATE, status } from '../floor-under-test.ts';

const NOW = { monotonicMs: 1_000_000, wallMs: Date.UTC(2026, 2, 2, 8) };
const SHIFT = { shiftDate: '2026-03-02', shiftName: 'Day', startMs: NOW.wallMs, endMs: NOW.wallMs + 43_200_000 };
const ORIGIN = { transport: 'mqtt', duplicate: false } as const;

function reported(clientId: string, topic: string, text: string) {
  const under = new FloorUnderTest([machine('RF-1')], NO_STORED_STATE, 'id', NOW, () => SHIFT);
  under.inbox.unmatched(clientId, topic, text, ORIGIN);
  return under;
}

describe('a device that is not set up', () => {
  it.each([
    ['its status names it', 'plant1/my-machine/status', status('MY-01'), 'MY-01'],
    ['it sends single fields', 'plant1/my-machine/status/goodParts', '7', 'my-machine'],
    ['it sends single fields in another spelling', 'plant1/my-machine/status/MACHINE_POWER', '1', 'my-machine'],
  ])('D-08 D-36 is reported with the topic root that it uses: %s', (_, topic, text, subject) => {
    const { incidents } = reported('some-plc', topic, text);
    expect(incidents).toContainEqual(
      expect.objectContaining({ kind: 'unknownDevice', subject, topicRoot: 'plant1/my-machine' }),
    );
  });

  it.each([
    ['shellies/plug/status/voltage', '230'],
    ['shellies/plug/online', 'true'],
    ['weather/status', 'rain'],
  ])('D-36 is not seen in other traffic, such as %s', (topic, text) => {
    expect(reported('some-thing', topic, text).incidents.map(({ kind }) => kind)).toEqual(['unmatchedTopic']);
  });
});

describe('a machine that publishes below another root than its own', () => {
  it.each([
    ['by its client id', 'RF-1', '1', 'plant9/new/status/running', 'plant/RF-1/status/running'],
    ['by the name in its status', 'some-plc', status('RF-1'), 'plant9/new/status', 'plant/RF-1/status'],
  ])('D-36 is reported with the topic that it should use, %s', (_, clientId, text, topic, meant) => {
    const under = reported(clientId, topic, text);
    expect(under.incidents).toMatchObject([
      {
        kind: 'unmatchedTopic',
        subject: clientId,
        meantFor: 'RF-1',
        topicRoot: 'plant9/new',
        detail: `publishes on ${topic}, a topic that plantgate does not use; did you mean ${meant}?`,
      },
    ]);
    expect(under.live('RF-1').messages.total).toBe(1);
  });
});

describe('a message on a topic of a machine from a client that may not publish there', () => {
  it('MQTT-13 D-36 stands at that machine as well as at the machine that sent it', () => {
    const under = new FloorUnderTest([machine('RF-1'), machine('RF-2')], NO_STORED_STATE, 'id', NOW, () => SHIFT);
    under.inbox.unmatched('RF-1', 'plant/RF-2/status', status('RF-1'), { ...ORIGIN, address: '10.0.0.7' });
    const detail = 'client RF-1 publishes on plant/RF-2/status, which it may not: publish below plant/RF-1';
    expect(under.incidents).toMatchObject([
      { kind: 'forbiddenPublish', subject: 'RF-2', address: '10.0.0.7', detail: expect.stringContaining(detail) },
    ]);
    for (const id of ['RF-1', 'RF-2'])
      expect(under.live(id).messages.messages()).toMatchObject([{ topic: 'plant/RF-2/status', outcome: 'refused' }]);
  });

  it('MQTT-13 a command of a client that is no machine stands at the machine', () => {
    const under = new FloorUnderTest([machine('RF-1')], NO_STORED_STATE, 'id', NOW, () => SHIFT);
    under.inbox.unmatched('some-tool', 'plant/RF-1/command', '{}', ORIGIN);
    expect(under.incidents).toMatchObject([{ kind: 'forbiddenPublish', subject: 'RF-1' }]);
    expect(under.live('RF-1').messages.total).toBe(1);
  });
});
