import { describe, expect, it } from 'vitest';
import { deviceTopicRoot } from '../../src/domain/machine/machine-names.ts';
import { nearestTopic, ownTopic } from '../../src/domain/plant/nearest-topic.ts';
import { processorMs } from '../rounds.ts';

const OWNERS = [
  { machineId: 'RF-01', topicRoot: 'plant1/rollformer-1', variables: ['lineSpeed'] },
  { machineId: 'PRESS', topicRoot: 'plant2/press' },
];

describe('the topic that a device probably meant', () => {
  it.each([
    ['plant1/rollformer-1/Status', 'plant1/rollformer-1/status'],
    ['plant1/rollformer-1/state', 'plant1/rollformer-1/status'],
    ['plant1/rollformer-1', 'plant1/rollformer-1/status'],
    ['RF-01/status', 'plant1/rollformer-1/status'],
    ['/plant1/rollformer-1/status', 'plant1/rollformer-1/status'],
    ['Plant1/Rollformer-1/status', 'plant1/rollformer-1/status'],
    ['plant1/rolformer-1/status', 'plant1/rollformer-1/status'],
    ['plant1/rollformer-1/statsu/running', 'plant1/rollformer-1/status/running'],
    ['plant1/rollformer-1/vars/lineSped', 'plant1/rollformer-1/vars/lineSpeed'],
    ['plant1/rollformer-1/lineSpeed', 'plant1/rollformer-1/vars/lineSpeed'],
    ['plant1/rollformer-1/linespeed/value', 'plant1/rollformer-1/vars/lineSpeed'],
    ['plant2/press/onlin', 'plant2/press/online'],
  ])('D-36 with %s is %s', (topic, meant) => {
    expect(nearestTopic(topic, OWNERS)?.topic).toBe(meant);
  });

  it.each(['weather/outside', 'a', '', '///'])('D-36 is unknown for %j', (topic) => {
    expect(nearestTopic(topic, OWNERS)).toBe(null);
  });

  it('D-36 is searched without a pause for machines among a thousand long topic roots', () => {
    const line = 'site-a/hall-b/line-c/cell-d/'.repeat(4).slice(0, 100);
    const owners = Array.from({ length: 1_000 }, (_, count) => ({
      machineId: `RF-${count}`,
      topicRoot: `${line}${String(count).padStart(4, '0')}`,
    }));
    const startedMs = processorMs();
    expect(nearestTopic(`${line}zz/a/a/a/a/status`, owners)).toBe(null);
    expect(processorMs() - startedMs).toBeLessThan(250);
  });
});

it.each([
  ['plant1/my-machine/status', 'plant1/my-machine', 'plant2/press/status'],
  ['plant1/my-machine/status/running', 'plant1/my-machine', 'plant2/press/status/running'],
  ['a/vars/speed', 'a', 'plant2/press/vars/speed'],
  ['a/b/lwt', 'a/b', 'plant2/press/lwt'],
  ['weather/outside', null, 'plant2/press/status'],
  ['/a/status', null, 'plant2/press/status'],
  ['a/status/b/c', null, 'plant2/press/status'],
])('D-36 a device that publishes on %s has the topic root %s; the machine PRESS meant %s', (topic, root, meant) => {
  expect(deviceTopicRoot(topic)).toBe(root);
  expect(ownTopic(topic, { machineId: 'PRESS', topicRoot: 'plant2/press' }).topic).toBe(meant);
});
