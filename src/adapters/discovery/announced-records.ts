import type { Answer, NsecAnswer, SrvAnswer, StringAnswer, TxtAnswer } from 'dns-packet';
import type { AskedQuestion } from './mdns-message.ts';

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

export type AnnouncedRecord = (StringAnswer | NsecAnswer | SrvAnswer | TxtAnswer) & { readonly ttl: number };

const HOST_TTL_SECONDS = 120;
const SERVICE_TTL_SECONDS = 4_500;
const EVERYWHERE = new Set(['0.0.0.0', '::']);
/** A longer label is shortened. */
const MAX_LABEL_BYTES = 63;

export function hostName({ hostLabel }: Pick<Announced, 'hostLabel'>): string {
  return `${hostLabel}.local`;
}

/** All records that this gateway announces on the network of one of its addresses. */
export function announcedRecords(announced: Announced, address: string): readonly AnnouncedRecord[] {
  const name = hostName(announced);
  const reachable = announced.services.filter((service) => EVERYWHERE.has(service.host) || service.host === address);
  return [
    { name, type: 'A', ttl: HOST_TTL_SECONDS, flush: true, data: address },
    // The record says that there is no IPv6 address, so that a resolver that asks for one need not wait.
    { name, type: 'NSEC', ttl: HOST_TTL_SECONDS, flush: true, data: { nextDomain: name, rrtypes: ['A'] } },
    ...reachable.flatMap((service) => serviceRecords(service, announced)),
  ];
}

function serviceRecords({ type, port }: AnnouncedService, announced: Announced): readonly AnnouncedRecord[] {
  const kind = `${type}._tcp.local`;
  const instance = `${labelOf(announced.instance)}.${kind}`;
  const shared = { type: 'PTR', ttl: SERVICE_TTL_SECONDS } as const;
  const text = ['txtvers=1', `version=${announced.version}`, 'path=/'];
  return [
    { ...shared, name: '_services._dns-sd._udp.local', data: kind },
    { ...shared, name: kind, data: instance },
    { name: instance, type: 'SRV', ttl: HOST_TTL_SECONDS, flush: true, data: { port, target: hostName(announced) } },
    { name: instance, type: 'TXT', ttl: SERVICE_TTL_SECONDS, flush: true, data: text },
  ];
}

/** The text as one label. The package dns-packet has no dots in a label. */
function labelOf(text: string): string {
  let label = text.replaceAll('.', '-');
  while (Buffer.byteLength(label) > MAX_LABEL_BYTES) label = Array.from(label).slice(0, -1).join('');
  return label;
}

export interface Answers {
  readonly answers: readonly AnnouncedRecord[];
  /** Records that the asker needs next, so that it does not ask again. */
  readonly additional: readonly AnnouncedRecord[];
}

/** The records that questions ask for. */
export function answersTo(questions: readonly AskedQuestion[], records: readonly AnnouncedRecord[]): Answers {
  const answers = records.filter((record) => questions.some((question) => isAskedFor(question, record)));
  const leadsOn = answers.some(({ type }) => type === 'PTR' || type === 'SRV');
  const additional = records.filter((record) => record.flush === true && !answers.includes(record));
  return { answers, additional: leadsOn ? additional : [] };
}

function isAskedFor({ name, type }: AskedQuestion, record: AnnouncedRecord): boolean {
  if (!isSameName(name, record.name)) return false;
  // The absence of an IPv6 address is an answer too.
  const wanted = type === 'AAAA' ? 'NSEC' : type;
  return wanted === 'ANY' || wanted === record.type;
}

/** The IPv4 addresses that records give a name. */
export function addressesIn(records: readonly Answer[], wanted: string): readonly string[] {
  return records.flatMap((record) => (record.type === 'A' && isSameName(record.name, wanted) ? [record.data] : []));
}

/** Upper and lower case count as the same. */
function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
