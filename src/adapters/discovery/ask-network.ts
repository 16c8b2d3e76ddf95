import { createSocket } from 'node:dgram';
import { DNS_TYPE, type DnsQuestion, type DnsRecord, nameKey, queryBytes, readDnsMessage } from './dns-message.ts';
import type { OwnNetwork } from './own-networks.ts';
import { MDNS_GROUP } from './responder.ts';

export interface Asking {
  readonly port: number;
  readonly networks: readonly OwnNetwork[];
  readonly timeoutMs: number;
}

/** Asks all computers on these networks, like an ordinary resolver; gives the records of all that answered in time. */
export async function askNetwork(
  question: DnsQuestion,
  { port, networks, timeoutMs }: Asking,
): Promise<readonly DnsRecord[]> {
  const found = await Promise.all(networks.map(({ address }) => askOn(address, question, port, timeoutMs)));
  return found.flat();
}

/** The IPv4 addresses that answer for a name. */
export async function addressesOf(name: string, asking: Asking): Promise<readonly string[]> {
  const question = { name: name.split('.'), type: DNS_TYPE.a, isUnicast: false };
  const records = await askNetwork(question, asking);
  const own = records.filter((record) => record.type === DNS_TYPE.a && nameKey(record.name) === nameKey(question.name));
  return [...new Set(own.map(({ data }) => data.join('.')))];
}

function askOn(address: string, question: DnsQuestion, port: number, timeoutMs: number): Promise<readonly DnsRecord[]> {
  return new Promise((resolve, reject) => {
    const found: DnsRecord[] = [];
    const socket = createSocket('udp4');
    const end = (act: () => void) => {
      clearTimeout(timer);
      socket.close();
      act();
    };
    const timer = setTimeout(() => end(() => resolve(found)), timeoutMs);
    socket.once('error', (error) => end(() => reject(error)));
    socket.on('message', (bytes) => {
      const message = readDnsMessage(bytes);
      if (message?.isResponse) found.push(...message.answers);
    });
    socket.bind(0, address, () => {
      socket.setMulticastInterface(address);
      socket.send(queryBytes([question], 1), port, MDNS_GROUP);
    });
  });
}
