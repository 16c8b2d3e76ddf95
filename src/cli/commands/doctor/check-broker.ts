import { randomUUID } from 'node:crypto';
import { connectAsync } from 'mqtt';
import { isEveryAddress } from '../../../config/config-rules.ts';
import type { Config } from '../../../config/config-schema.ts';
import { errorMessage } from '../../../domain/error-text.ts';
import { type Finding, fault, ok } from './finding.ts';
import type { RunningGateway } from './running-gateway.ts';

/** CONNACK: identifier rejected, bad user name or password, not authorized (MQTT 3.1.1, 3.2.2.3). */
const REFUSALS: readonly unknown[] = [2, 4, 5];

/** Connects to the broker of the running gateway like an MQTT client. */
export async function checkBroker(
  { mqtt }: Config,
  running: RunningGateway | null,
  timeoutMs: number,
): Promise<Finding> {
  const port = running?.addresses.mqttPort ?? null;
  if (port === null) return ok('broker', 'not asked, as no running gateway says where it listens');
  const host = isEveryAddress(mqtt.host) ? '127.0.0.1' : mqtt.host;
  const options = { host, port, clientId: `plantgate-doctor-${randomUUID()}`, reconnectPeriod: 0 };
  try {
    const client = await connectAsync({ ...options, connectTimeout: timeoutMs });
    await client.endAsync(true);
    return ok('broker', `an MQTT client is accepted on ${port}`);
  } catch (error) {
    if (error instanceof Error && 'code' in error && REFUSALS.includes(error.code)) {
      return ok('broker', `answers on ${port}, and refuses unknown clients as mqtt.access says`);
    }
    const found = `no MQTT client is accepted on ${host}:${port}: ${errorMessage(error)}`;
    return fault('broker', found, 'Look into the log of the gateway; restart it if nothing is said there.');
  }
}
