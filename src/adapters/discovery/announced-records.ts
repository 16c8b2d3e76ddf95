import {
  DNS_TYPE,
  type DnsName,
  type DnsQuestion,
  type DnsRecord,
  labelOf,
  nameBytes,
  nameKey,
} from './dns-message.ts';

export interface AnnouncedService {
  /** The type of the service, for example `_http`. */
  readonly type: string;
  readonly port: number;
  /** The address that it listens on. */
  readonly host: string;
}

/** The announcement by which others find a gateway (RFC 6763). */
export interface Announced {
  /** The label before `.local`. */
  readonly hostLabel: string;
  /** The name that people see in a list. */
  readonly instance: string;
  readonly version: string;
  readonly services: readonly AnnouncedService[];
}

const HOST_TTL_SECONDS = 120;
const SERVICE_TTL_SECONDS = 4_500;
const EVERYWHERE = new Set(['0.0.0.0', '::']);

export function hostName({ hostLabel }: Pick<Announced, 'hostLabel'>): DnsName {
  return [hostLabel, 'local'];
}

/** All records that this gateway announces on the network of one of its addresses. */
export function announcedRecords(announced: Announced, address: string): readonly DnsRecord[] {
  const host = hostName(announced);
  const reachable = announced.services.filter((service) => EVERYWHERE.has(service.host) || service.host === address);
  return [
    unique(host, DNS_TYPE.a, HOST_TTL_SECONDS, Buffer.from(address.split('.').map(Number))),
    // The record says that there is no IPv6 address, so that a resolver that asks for one need not wait.
    unique(host, DNS_TYPE.nsec, HOST_TTL_SECONDS, Buffer.concat([nameBytes(host), Buffer.from([0, 1, 0x40])])),
    ...reachable.flatMap((service) => serviceRecords(service, announced)),
  ];
}

function serviceRecords({ type, port }: AnnouncedService, announced: Announced): readonly DnsRecord[] {
  const kind = [type, '_tcp', 'local'];
  const instance = [labelOf(announced.instance), ...kind];
  const target = Buffer.concat([Buffer.from([0, 0, 0, 0, port >> 8, port & 0xff]), nameBytes(hostName(announced))]);
  const texts = ['txtvers=1', `version=${announced.version}`, 'path=/'].map((text) => Buffer.from(text));
  const text = Buffer.concat(texts.flatMap((bytes) => [Buffer.from([bytes.length]), bytes]));
  return [
    shared(['_services', '_dns-sd', '_udp', 'local'], nameBytes(kind)),
    shared(kind, nameBytes(instance)),
    unique(instance, DNS_TYPE.srv, HOST_TTL_SECONDS, target),
    unique(instance, DNS_TYPE.txt, SERVICE_TTL_SECONDS, text),
  ];
}

function unique(name: DnsName, type: number, ttlSeconds: number, data: Uint8Array): DnsRecord {
  return { name, type, ttlSeconds, isUnique: true, data };
}

function shared(name: DnsName, data: Uint8Array): DnsRecord {
  return { name, type: DNS_TYPE.ptr, ttlSeconds: SERVICE_TTL_SECONDS, isUnique: false, data };
}

export interface Answers {
  readonly answers: readonly DnsRecord[];
  /** Records that the asker needs next, so that it does not ask again. */
  readonly additional: readonly DnsRecord[];
}

/** The records that questions ask for. */
export function answersTo(questions: readonly DnsQuestion[], records: readonly DnsRecord[]): Answers {
  const answers = records.filter((record) => questions.some((question) => isAskedFor(question, record)));
  const leadsOn = answers.some(({ type }) => type === DNS_TYPE.ptr || type === DNS_TYPE.srv);
  const additional = records.filter((record) => record.isUnique && !answers.includes(record));
  return { answers, additional: leadsOn ? additional : [] };
}

function isAskedFor({ name, type }: DnsQuestion, record: DnsRecord): boolean {
  if (nameKey(name) !== nameKey(record.name)) return false;
  // The absence of an IPv6 address is an answer too.
  const wanted = type === DNS_TYPE.aaaa ? DNS_TYPE.nsec : type;
  return wanted === DNS_TYPE.any || wanted === record.type;
}
