import { createSocket } from 'node:dgram';
import type { Answer } from 'dns-packet';
import { addressesIn } from './announced-records.ts';
import { type AskedQuestion, MDNS_GROUP, queryBytes, readMessage } from './mdns-message.ts';
import type { OwnNetwork } from './own-networks.ts';

export interface Asking {
  readonly port: number;
  readonly networks: readonly OwnNetwork[];
  readonly timeoutMs: number;
}

/** Asks all computers on these networks, like an ordinary resolver; gives the records of all that answered in time. */
export async function askNetwork(
  question: AskedQuestion,
  { port, networks, timeoutMs }: Asking,
): Promise<readonly Answer[]> {
  const found = await Promise.all(networks.map(({ address }) => askOn(address, question, port, timeoutMs)));
  return found.flat();
}

/** The IPv4 addresses that answer for a name. */
export async function addressesOf(name: string, asking: Asking): Promise<readonly string[]> {
  const records = await askNetwork({ name, type: 'A' }, asking);
  return [...new Set(addressesIn(records, name))];
}

function askOn(address: string, question: AskedQuestion, port: number, timeoutMs: number): Promise<readonly Answer[]> {
  return new Promise((resolve, reject) => {
    const found: Answer[] = [];
    const socket = createSocket('udp4');
    const end = (act: () => void) => {
      clearTimeout(timer);
      socket.close();
      act();
    };
    const timer = setTimeout(() => end(() => resolve(found)), timeoutMs);
    socket.once('error', (error) => end(() => reject(error)));
    socket.on('message', (bytes) => {
      const message = readMessage(bytes);
      if (message?.flag_qr === true) found.push(...(message.answers ?? []));
    });
    socket.bind(0, address, () => {
      socket.setMulticastInterface(address);
      socket.send(queryBytes(question, 1), port, MDNS_GROUP);
    });
  });
}
