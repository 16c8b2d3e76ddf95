import { createHmac, randomBytes } from 'node:crypto';
import { BoundedCache } from '../../../domain/bounded-cache.ts';
import { foundText } from '../../../domain/error.ts';
import { TokenBuckets } from '../../../domain/token-buckets.ts';
import type { DeviceRoute } from '../../../flows/device/device-ports.ts';
import type { SecretVerifier } from '../../../flows/ports.ts';
import { LIMITS } from '../limits.ts';
import { type ConnectPacket, protocolLevel } from '../mqtt/connect-packet.ts';
import { PACKET, SPEAKS_HTTP, speaksHttp } from '../mqtt/frame.ts';
import type { PacketFault } from '../mqtt/packet-fault.ts';
import { REASON, type Reason, type ReasonCode } from '../mqtt/reason-codes.ts';
import { topicFault, topicLimit } from '../mqtt/topic-filter.ts';
import type { TopicTable } from '../topics.ts';

export type Access = 'open' | 'known' | 'password';

/** `close`: the packet breaks the protocol, so it gets no answer in MQTT 3 (MQTT-3.1.4-1). */
export interface Refusal {
  readonly kind: 'refuse' | 'close';
  readonly reason: Reason;
}

export type Admitted = { readonly kind: 'machine'; readonly route: DeviceRoute } | { readonly kind: 'client' };
export type Admission = Admitted | Refusal;

export function refuse(code: ReasonCode, text: string): Refusal {
  return { kind: 'refuse', reason: { code, text } };
}

/**
 * The refusal of a first packet that is no readable CONNECT. A CONNECT of another MQTT version need not be readable
 * (MQTT-3.1.2-2).
 */
export function refusalOfFirst(frame: Buffer, bodyAt: number, fault: PacketFault | null): Refusal {
  const level = (frame[0] ?? 0) >> 4 === PACKET.connect ? protocolLevel(frame, bodyAt) : null;
  if (level !== null && (level < 3 || level > 5)) {
    return refuse(
      REASON.unsupportedVersion,
      `MQTT version ${level}; 3.1, 3.1.1 and 5 are spoken here: choose one of them in the client`,
    );
  }
  if (speaksHttp(frame)) return { kind: 'close', reason: { code: REASON.malformedPacket, text: SPEAKS_HTTP } };
  const detail = fault === null ? '' : `: ${fault.detail}`;
  const text = `the first packet is no valid CONNECT${detail}`;
  return { kind: 'close', reason: { code: fault?.code ?? REASON.malformedPacket, text } };
}

/** Checks client id and will of a CONNECT, without a look at the plant. Null if it is without a fault. */
export function checkConnect({ version, clientId, cleanStart, will }: ConnectPacket): Refusal | null {
  if (clientId === '' && !cleanStart && version < 5) {
    return refuse(REASON.clientIdNotValid, 'an empty client id cannot have a persistent session');
  }
  if (Buffer.byteLength(clientId) > LIMITS.clientIdBytes) {
    return refuse(REASON.clientIdNotValid, `client id is longer than ${LIMITS.clientIdBytes} bytes`);
  }
  return will === null ? null : checkWill(will.topic);
}

function checkWill(topic: string): Refusal | null {
  const fault = topicFault(topic) ?? topicLimit(topic) ?? (/[+#]/.test(topic) ? 'has a wildcard' : null);
  const reason = { code: REASON.topicNameInvalid, text: `will topic ${fault}` };
  return fault === null ? null : { kind: 'close', reason };
}

const WRONG_PASSWORD = 'wrong password: set the mqttPassword of the machine in the client';
const NO_PASSWORD_SENT = 'no password: mqtt.access asks for the mqttPassword of the machine, with any user name';
const NO_PASSWORD_KEPT = 'no password is kept for this machine: give it an mqttPassword in the plant';

/** Decides which clients may connect, by `mqtt.access` (contract). */
export class Admissions {
  readonly #access: Access;
  readonly #verify: SecretVerifier;
  readonly #topics: () => TopicTable;
  readonly #throttle = new PasswordThrottle(() => performance.now());

  constructor(access: Access, verify: SecretVerifier, topics: () => TopicTable) {
    this.#access = access;
    this.#verify = verify;
    this.#topics = topics;
  }

  async admit(packet: ConnectPacket, address: string): Promise<Admission> {
    const route = this.#topics().machine(packet.clientId);
    if (route === undefined) {
      return this.#access === 'open' ? { kind: 'client' } : refuse(REASON.notAuthorized, this.#unknownClient());
    }
    if (this.#access !== 'password') return { kind: 'machine', route };
    const password = packet.password?.toString('utf8');
    if (route.mqttPasswordHash === null) return refuse(REASON.badCredentials, NO_PASSWORD_KEPT);
    if (password === undefined) return refuse(REASON.badCredentials, NO_PASSWORD_SENT);
    const answer = await this.#compare(route, route.mqttPasswordHash, password, address);
    if (answer.kind !== 'refuse' || packet.username === null) return answer;
    return refuse(answer.reason.code, `${answer.reason.text} (user name ${foundText(packet.username)})`);
  }

  #unknownClient(): string {
    return `not a configured machine: mqtt.access is ${this.#access}, so use the id of a machine as client id`;
  }

  async #compare(route: DeviceRoute, hash: string, password: string, address: string): Promise<Admission> {
    if (!this.#throttle.mayTry(address, hash, password)) {
      return refuse(REASON.serverUnavailable, `too many wrong passwords from ${address}`);
    }
    if (await this.#verify(hash, password)) {
      this.#throttle.right(hash, password);
      return { kind: 'machine', route };
    }
    this.#throttle.wrong(address);
    return refuse(REASON.badCredentials, WRONG_PASSWORD);
  }
}

const KEY_BYTES = 32;
/** The first groups of an IPv6 address name its network. An attacker may use all addresses of one network. */
const IPV6_NETWORK_GROUPS = 4;

/** The name of the guesses that all addresses share. */
const ALL = 'all';

/**
 * Slows guessing of passwords down: some 10,000 guesses take an hour, from one address or from many. An address without a
 * wrong password always passes, and so does a password that was right before, from any address.
 */
export class PasswordThrottle {
  readonly #nowMs: () => number;
  readonly #byNetwork = guesses(LIMITS.wrongPasswordsPerAddress, LIMITS.guessingAddresses);
  readonly #inAll = guesses(LIMITS.wrongPasswords, 1);
  readonly #key = randomBytes(KEY_BYTES);
  readonly #right = new BoundedCache<string, true>(LIMITS.rememberedPasswords);

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Whether a password from this address may be compared. */
  mayTry(address: string, hash: string, password: string): boolean {
    if (this.#right.get(this.#mark(hash, password))) return true;
    const network = networkOf(address);
    if (!this.#byNetwork.remembers(network)) return true;
    const nowMs = this.#nowMs();
    return this.#byNetwork.has(network, nowMs) && this.#inAll.has(ALL, nowMs);
  }

  wrong(address: string): void {
    const nowMs = this.#nowMs();
    this.#byNetwork.take(networkOf(address), nowMs);
    this.#inAll.take(ALL, nowMs);
  }

  right(hash: string, password: string): void {
    this.#right.set(this.#mark(hash, password), true);
  }

  /** Neither the hash nor the password is kept. */
  #mark(hash: string, password: string): string {
    return createHmac('sha256', this.#key).update(hash).update('\0').update(password).digest('base64url');
  }
}

function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  return address.split(':').slice(0, IPV6_NETWORK_GROUPS).join(':');
}

function guesses(capacity: number, mostNames: number): TokenBuckets {
  return new TokenBuckets({ capacity, refillMs: LIMITS.wrongPasswordRefillMs, mostNames });
}
