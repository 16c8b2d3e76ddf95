import { type AddressInfo, createServer } from 'node:net';
import { Aedes } from 'aedes';
import { bareAnswer, ready, STATUS_SUFFIX } from './bare-answer.ts';

const aedes = await Aedes.createBroker();
aedes.on('publish', (packet, client) => {
  if (client === null || !packet.topic.endsWith(STATUS_SUFFIX)) return;
  const root = packet.topic.slice(0, -STATUS_SUFFIX.length);
  for (const [suffix, payload] of bareAnswer(packet.payload.toString())) {
    aedes.publish(
      { cmd: 'publish', topic: `${root}/${suffix}`, payload, qos: 1, retain: false, dup: false },
      (error) => {
        if (error) throw error;
      },
    );
  }
});
const server = createServer({ noDelay: true }, aedes.handle);
server.listen(0, '127.0.0.1', 4_096, () => ready((server.address() as AddressInfo).port));
process.on('SIGTERM', () => process.exit(0));
