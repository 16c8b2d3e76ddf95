import { describe, expect, it } from 'vitest';
import { nearestTopic } from '../../src/domain/plant/nearest-topic.ts';

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
    ['plant2/press/onlin', 'plant2/press/online'],
  ])('D-36 with %s is %s', (topic, meant) => {
    expect(nearestTopic(topic, OWNERS)?.topic).toBe(meant);
  });

  it.each(['weather/outside', 'a', '', '///'])('D-36 is unknown for %j', (topic) => {
    expect(nearestTopic(topic, OWNERS)).toBe(null);
  });
});
