import { createHmac, randomBytes } from 'node:crypto';
import { BoundedCache } from '../../../domain/bounded-cache.ts';
import { foundText } from '../../../domain/error.ts';
import type { MqttAccount } from '../../../domain/plant/plant.ts';
import { TokenBuckets } from '../../../domain/token-buckets.ts';
import type { DeviceRoute } from '../../../flows/device/device-ports.ts';
import type { SecretVerifier } from '../../../flows/ports.ts';
import { verifiedCommonName } from '../../../runtime/network/tls-peer.ts';
import { LIMITS } from '../limits.ts';
import { type ConnectPacket, protocolLevel } from '../mqtt/connect-packet.ts';
import { PACKET, SPEAKS_HTTP, speaksHttp } from '../mqtt/frame.ts';
import type { PacketFault } from '../mqtt/packet-fault.ts';
import { REASON, type Reason, type ReasonCode } from '../mqtt/reason-codes.ts';
import { topicFault, topicLimit } from '../mqtt/topic-filter.ts';
import type { TopicTable } from '../topics.ts';
import { AccountRights, type AccountTable } from './accounts.ts';
import type { ClientConnection } from './client-connection.ts';

export type Access = 'open' | 'known' | 'password';
/** `cn`: the common name of a client certificate names a machine or an account, which then needs no password. */
export type TlsIdentity = 'none' | 'cn';

/** `close`: the packet breaks the protocol, so it gets no answer in MQTT 3 (MQTT-3.1.4-1). */
export interface Refusal {
  readonly kind: 'refuse' | 'close';
  readonly reason: Reason;
}

export type Admitted =
  | { readonly kind: 'machine'; readonly route: DeviceRoute }
  | { readonly kind: 'client'; readonly rights: AccountRights | null };
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

/** The sentences of a refused password. */
const MACHINE_TEXTS = {
  wrong: 'wrong password: set the mqttPassword of the machine in the client',
  noneSent: 'no password: mqtt.access asks for the mqttPassword of the machine, with any user name',
  noneKept: 'no password is kept for this machine: give it an mqttPassword in the plant',
};
const ACCOUNT_TEXTS: typeof MACHINE_TEXTS = {
  wrong: 'wrong password: set the password of the MQTT account in the client',
  noneSent: 'no password: set the password of the MQTT account in the client',
  noneKept: 'no password is kept for this MQTT account: give it one, under Admin or in the plant file',
};
const OWN_CLIENT_ID = 'a machine uses its id as client id, and an account uses another one';

export interface AdmissionOptions {
  readonly access: Access;
  readonly identity: TlsIdentity;
  readonly verifySecret: SecretVerifier;
  readonly topics: () => TopicTable;
  readonly accounts: () => AccountTable;
}

/** Decides which clients may connect, by `mqtt.access` and `mqtt.tls.identity` (contract). */
export class Admissions {
  readonly #options: AdmissionOptions;
  readonly #throttle = new PasswordThrottle(() => performance.now());

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  async admit(packet: ConnectPacket, client: Pick<ClientConnection, 'address' | 'socket'>): Promise<Admission> {
    const { access, identity, topics, accounts } = this.#options;
    const commonName = identity === 'cn' ? verifiedCommonName(client.socket) : null;
    if (commonName !== null) return this.#certified(packet, commonName);
    const route = topics().machine(packet.clientId);
    if (route !== undefined) return this.#machine(packet, route, client.address);
    const account = packet.username === null ? undefined : accounts().find(packet.username);
    if (account !== undefined) return this.#account(packet, account, client.address);
    return access === 'open' ? { kind: 'client', rights: null } : refuse(REASON.notAuthorized, this.#unknown(packet));
  }

  /** A machine comes under its own id alone; an account never comes under the id of a machine (D-66). */
  #certified(packet: ConnectPacket, commonName: string): Admission {
    const { topics, accounts } = this.#options;
    const { clientId } = packet;
    const route = topics().machine(commonName);
    const account = accounts().find(commonName);
    const told = `the client certificate names ${foundText(commonName)} (CN)`;
    if (route !== undefined && clientId === commonName) return { kind: 'machine', route };
    if (route !== undefined || (account !== undefined && topics().machine(clientId) !== undefined))
      return refuse(REASON.notAuthorized, `${told}, and the client id is ${foundText(clientId)}: ${OWN_CLIENT_ID}`);
    if (account !== undefined) return this.#withRights(packet, account);
    return refuse(REASON.notAuthorized, `${told}, which is neither a machine nor an MQTT account`);
  }

  async #machine(packet: ConnectPacket, route: DeviceRoute, address: string): Promise<Admission> {
    if (this.#options.access !== 'password') return { kind: 'machine', route };
    const { username } = packet;
    const refusal = await this.#passwordFault(packet, route.mqttPasswordHash, address, MACHINE_TEXTS);
    if (refusal === null) return { kind: 'machine', route };
    if (username === null) return refusal;
    const isAccount = this.#options.accounts().find(username) !== undefined;
    const hint = isAccount ? `, an account, and the client id is that of a machine: ${OWN_CLIENT_ID}` : '';
    return refuse(refusal.reason.code, `${refusal.reason.text} (user name ${foundText(username)}${hint})`);
  }

  async #account(packet: ConnectPacket, account: MqttAccount, address: string): Promise<Admission> {
    const refusal = await this.#passwordFault(packet, account.passwordHash, address, ACCOUNT_TEXTS);
    if (refusal === null) return this.#withRights(packet, account);
    return refuse(refusal.reason.code, `${refusal.reason.text} (account ${foundText(account.name)})`);
  }

  #withRights({ clientId, will }: ConnectPacket, account: MqttAccount): Admission {
    const fault = this.#options.accounts().clientIdFault(account, clientId);
    if (fault !== null) return refuse(REASON.notAuthorized, fault);
    const rights = new AccountRights(account, clientId);
    if (will === null) return { kind: 'client', rights };
    const { topic } = will;
    const willFault = rights.writeFault(topic, this.#options.topics().find(topic));
    if (willFault === null) return { kind: 'client', rights };
    return refuse(REASON.notAuthorized, `its will is on ${topic}: ${willFault}`);
  }

  #unknown({ username }: ConnectPacket): string {
    const named = username === null ? '' : ` (user name ${foundText(username)})`;
    return `not a configured machine: mqtt.access is ${this.#options.access}, so use the id of a machine as client id, or an MQTT account${named}`;
  }

  /** Null if the password is right. */
  async #passwordFault(
    packet: ConnectPacket,
    hash: string | null,
    address: string,
    texts: typeof MACHINE_TEXTS,
  ): Promise<Refusal | null> {
    const password = packet.password?.toString('utf8');
    if (hash === null) return refuse(REASON.badCredentials, texts.noneKept);
    if (password === undefined) return refuse(REASON.badCredentials, texts.noneSent);
    if (!this.#throttle.mayTry(address, hash, password))
      return refuse(REASON.serverUnavailable, `too many wrong passwords from ${address}`);
    if (await this.#options.verifySecret(hash, password)) {
      this.#throttle.right(hash, password);
      return null;
    }
    this.#throttle.wrong(address);
    return refuse(REASON.badCredentials, texts.wrong);
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
