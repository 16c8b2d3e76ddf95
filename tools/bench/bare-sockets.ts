import { type AddressInfo, createServer } from 'node:net';
import { generate, type Packet, parser } from 'mqtt-packet';
import { bareAnswer, ready, STATUS_SUFFIX } from './bare-answer.ts';

function answer(packet: Packet, nextId: () => number): readonly Buffer[] {
  if (packet.cmd === 'connect') return [generate({ cmd: 'connack', returnCode: 0, sessionPresent: false })];
  if (packet.cmd === 'pingreq') return [generate({ cmd: 'pingresp' })];
  if (packet.cmd === 'subscribe') {
    return [
      generate({
        cmd: 'suback',
        messageId: packet.messageId ?? 0,
        granted: packet.subscriptions.map(({ qos }) => qos),
      }),
    ];
  }
  if (packet.cmd !== 'publish') return [];
  const puback = generate({ cmd: 'puback', messageId: packet.messageId ?? 0 });
  if (!packet.topic.endsWith(STATUS_SUFFIX)) return [puback];
  const root = packet.topic.slice(0, -STATUS_SUFFIX.length);
  const commands = bareAnswer(packet.payload.toString()).map(([suffix, payload]) =>
    generate({
      cmd: 'publish',
      topic: `${root}/${suffix}`,
      payload,
      qos: 1,
      retain: false,
      dup: false,
      messageId: nextId(),
    }),
  );
  return [puback, ...commands];
}

const server = createServer({ noDelay: true }, (socket) => {
  const reader = parser();
  let packetId = 0;
  const nextId = () => {
    packetId = (packetId % 65_535) + 1;
    return packetId;
  };
  reader.on('packet', (packet: Packet) => {
    for (const bytes of answer(packet, nextId)) socket.write(bytes);
  });
  socket.on('data', (bytes) => {
    socket.cork();
    reader.parse(bytes);
    socket.uncork();
  });
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1', 4_096, () => ready((server.address() as AddressInfo).port));
process.on('SIGTERM', () => process.exit(0));
