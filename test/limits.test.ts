import { expect, it } from 'vitest';
import { LIMITS as MQTT } from '../src/adapters/broker/limits.ts';
import { LIMITS as HTTP } from '../src/adapters/http/limits.ts';
import { MAX_ALL_RINGS_BYTES } from '../src/flows/device/message-ring.ts';
import { MAX_INCIDENT_BYTES } from '../src/flows/local-api/incident-log.ts';

it('D-25 the memory that all clients together can fill stays below 100 MiB', () => {
  const bytes = [
    MQTT.feedBytes,
    MQTT.keptBytes,
    MQTT.unreadBytes,
    MQTT.sessionBytes,
    MQTT.liveSubscriptionBytes,
    MQTT.incomingBytes,
    MQTT.retainedBytes,
    MQTT.willBytes,
    MQTT.partialPacketBytes,
    HTTP.unfinishedBodyBytes,
    HTTP.waitingRequestBytes,
    HTTP.unreadBytes,
    HTTP.eventBacklogBytes,
    MAX_ALL_RINGS_BYTES,
    MAX_INCIDENT_BYTES,
  ].reduce((sum, each) => sum + each, 0);
  expect(bytes).toBeLessThan(100 * 1_048_576);
});
