import type { RemoteInfo, Socket } from 'node:dgram';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, DecodedPacket } from 'dns-packet';
import { errorCode } from '../../domain/error-code.ts';
import { errorMessage } from '../../domain/error-text.ts';
import {
  type Announced,
  type AnnouncedRecord,
  addressesIn,
  announcedRecords,
  answersTo,
  hostName,
} from './announced-records.ts';
import { MDNS_GROUP, queryBytes, readMessage, responseBytes } from './mdns-message.ts';
import { asNumber, networkOf, type OwnNetwork } from './own-networks.ts';

/** The number of names that are tried: `plantgate`, `plantgate-2` and so on. */
export const MAX_NAMES = 9;
/** The most answers a second, over all askers. */
const MAX_ANSWERS_PER_SECOND = 50;
const PROBES = 3;
const PROBE_MS = 250;
/** The longest random wait before a name is asked for, so that computers that start together ask one after the other. */
const MAX_ASK_DELAY_MS = 250;
const ANNOUNCEMENTS = 2;
const ANNOUNCE_MS = 1_000;
const LOOK_MS = 10_000;
const MULTICAST_TTL = 255;
/** An ordinary resolver may not keep an answer for longer (RFC 6762, 6.7). */
const LEGACY_TTL_SECONDS = 10;

export interface ResponderOptions extends Omit<Announced, 'hostLabel'> {
  /** The wanted name before `.local`. */
  readonly name: string;
  readonly port: number;
}

/** The computer that a responder works on. */
export interface ResponderBase {
  /** A socket that is not bound yet. */
  readonly socket: Socket;
  /** The networks that the computer has now. */
  readonly networks: () => readonly OwnNetwork[];
  /** A number from 0 to below 1. */
  readonly random: () => number;
  readonly tell: (news: ResponderNews) => void;
}

export type ResponderNews =
  | { readonly kind: 'named'; readonly name: string }
  | { readonly kind: 'trouble'; readonly detail: string };

/**
 * Answers for the name and the services of this gateway (RFC 6762, IPv4), beside any other program that does so on port
 * 5353. It asks on each network first whether another computer has the name, and takes the next name then. A fault of
 * one network is reported and stops only that network; a fault of the socket is thrown.
 */
export class Responder {
  readonly #options: ResponderOptions;
  readonly #base: ResponderBase;
  readonly #socket: Socket;
  /** Addresses on whose networks the name is ours. */
  readonly #held = new Set<string>();
  #networks: readonly OwnNetwork[] = [];
  #number = 1;
  /** `nameless`: others have all the names. */
  #state: 'asking' | 'taken' | 'named' | 'nameless' | 'closed' = 'asking';
  #answersLeft = MAX_ANSWERS_PER_SECOND;
  #sending: Promise<void> = Promise.resolve();
  #timers: NodeJS.Timeout[] = [];

  constructor(options: ResponderOptions, base: ResponderBase) {
    this.#options = options;
    this.#base = base;
    this.#socket = base.socket;
    this.#socket.on('error', (error) => {
      throw error;
    });
    this.#socket.on('message', (bytes, from) => this.#received(bytes, from));
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#socket.bind(this.#options.port, resolve));
    this.#socket.setMulticastTTL(MULTICAST_TTL);
    this.#socket.setMulticastLoopback(true);
    this.lookAround();
    this.#timers = [
      setInterval(() => this.lookAround(), LOOK_MS),
      setInterval(() => (this.#answersLeft = MAX_ANSWERS_PER_SECOND), 1_000),
    ];
    await this.#takeName();
  }

  /** Announces that the name is gone. Without it others would keep the name for two minutes. */
  async close(): Promise<void> {
    this.#state = 'closed';
    for (const timer of this.#timers) clearInterval(timer);
    const goodbye = (records: readonly AnnouncedRecord[]) =>
      responseBytes(records.map((record) => ({ ...record, ttl: 0 })));
    this.#say(
      this.#networks.filter(({ address }) => this.#held.has(address)),
      goodbye,
    );
    this.#held.clear();
    await this.#sending;
    this.#socket.close();
  }

  /**
   * Joins the multicast group on all networks, and asks for the name on those that are new. It is done again and again,
   * because networks come and go, and other computers give up their names.
   */
  lookAround(): void {
    const present = this.#base.networks();
    const gone = this.#networks.filter(({ address }) => !present.some((network) => network.address === address));
    for (const { address } of gone) this.#leave(address);
    this.#networks = present.filter(({ address }) => this.#join(address));
    const isToAsk = this.#state === 'nameless' || (this.#state === 'named' && this.#unheld.length > 0);
    if (isToAsk) void this.#takeName();
  }

  get #announced(): Announced {
    const { name } = this.#options;
    return { ...this.#options, hostLabel: this.#number === 1 ? name : `${name}-${this.#number}` };
  }

  get #unheld(): readonly OwnNetwork[] {
    return this.#networks.filter(({ address }) => !this.#held.has(address));
  }

  /** Takes the first free name. On networks where the name is ours already others are answered meanwhile. */
  async #takeName(): Promise<void> {
    for (; this.#number <= MAX_NAMES; this.#number++) {
      this.#state = 'asking';
      const asked = this.#unheld;
      const outcome = await this.#ask(asked);
      if (outcome === 'asking') return this.#announce(asked);
      if (outcome === 'closed') return;
      this.#held.clear();
    }
    this.#number = 1;
    this.#state = 'nameless';
    this.#base.tell({
      kind: 'trouble',
      detail: `others have the names ${this.#options.name} to ${this.#options.name}-${MAX_NAMES}`,
    });
  }

  /** Gives the state after the questions: it is still `asking` if nobody has the name. */
  async #ask(networks: readonly OwnNetwork[]) {
    const question = { name: hostName(this.#announced), type: 'ANY' } as const;
    await delay(this.#base.random() * MAX_ASK_DELAY_MS);
    for (let probe = 0; probe < PROBES && this.#state === 'asking'; probe++) {
      this.#say(networks, () => queryBytes(question));
      await delay(PROBE_MS);
    }
    return this.#state;
  }

  async #announce(networks: readonly OwnNetwork[]): Promise<void> {
    this.#state = 'named';
    if (this.#held.size === 0) this.#base.tell({ kind: 'named', name: hostName(this.#announced) });
    for (const { address } of networks) this.#held.add(address);
    for (let count = 0; count < ANNOUNCEMENTS; count++) {
      if (count > 0) await delay(ANNOUNCE_MS);
      // Another computer may have taken the name since.
      const held = networks.filter(({ address }) => this.#held.has(address));
      this.#say(held, (records) => responseBytes(records));
    }
  }

  /** Gives whether the messages of a network are heard. */
  #join(address: string): boolean {
    try {
      this.#socket.addMembership(MDNS_GROUP, address);
    } catch (error) {
      // Joined before, or by another address of the same interface.
      if (errorCode(error) === 'EADDRINUSE') return true;
      this.#base.tell({ kind: 'trouble', detail: `${address}: ${errorMessage(error)}` });
      return false;
    }
    // The interface is new, or was made anew under the same address: other computers may be there now.
    this.#held.delete(address);
    return true;
  }

  /** Forgets a network that is gone. The kernel keeps memberships without an interface, and allows a socket 20 in all. */
  #leave(address: string): void {
    this.#held.delete(address);
    try {
      // One for each time that the interface was made anew.
      for (;;) this.#socket.dropMembership(MDNS_GROUP, address);
    } catch (error) {
      // The socket has left all memberships of this address.
      if (errorCode(error) === 'EADDRNOTAVAIL') return;
      this.#base.tell({ kind: 'trouble', detail: `${address}: ${errorMessage(error)}` });
    }
  }

  #received(bytes: Buffer, from: RemoteInfo): void {
    const message = readMessage(bytes);
    const network = networkOf(from.address, this.#networks);
    if (message === null || network === null) return;
    if (message.flag_qr) this.#heard(message.answers ?? [], network);
    else if (this.#held.has(network.address)) this.#answer(message, network, from);
  }

  #answer(message: DecodedPacket, network: OwnNetwork, from: RemoteInfo): void {
    const records = announcedRecords(this.#announced, network.address);
    const { answers, additional } = answersTo(message.questions ?? [], records);
    if (answers.length === 0 || this.#answersLeft === 0) return;
    this.#answersLeft -= 1;
    if (from.port !== this.#options.port) {
      const short = (list: readonly AnnouncedRecord[]) =>
        list.map((record) => ({ ...record, ttl: Math.min(record.ttl, LEGACY_TTL_SECONDS) }));
      this.#send(network, responseBytes(short(answers), { legacy: message, additional: short(additional) }), from);
      return;
    }
    this.#send(network, responseBytes(answers, { additional }));
  }

  /**
   * Settles a name that another computer has too. The lower address keeps it; the other computer asks for it again, is
   * answered, and takes the next name.
   */
  #heard(answers: readonly Answer[], network: OwnNetwork): void {
    const own = new Set(this.#base.networks().map(({ address }) => address));
    const present = answers.filter((record) => record.type === 'A' && record.ttl !== 0);
    const [other] = addressesIn(present, hostName(this.#announced)).filter((address) => !own.has(address));
    const isHeld = this.#held.has(network.address);
    if (other === undefined || (isHeld && asNumber(other) > this.#lowestIn(network))) return;
    if (this.#state === 'asking') this.#state = 'taken';
    else if (isHeld) {
      this.#held.clear();
      void this.#takeName();
    }
  }

  /**
   * The lowest own address of those that other computers of a network see. An address on another network does not
   * count: each computer with containers has 172.17.0.1 for itself.
   */
  #lowestIn(network: OwnNetwork): number {
    const seen = this.#networks.filter(({ address }) => networkOf(address, [network]) !== null);
    return Math.min(...seen.map(({ address }) => asNumber(address)));
  }

  /** Sends a message on networks, with the records of each. */
  #say(networks: readonly OwnNetwork[], bytes: (records: readonly AnnouncedRecord[]) => Buffer): void {
    const announced = this.#announced;
    for (const network of networks) this.#send(network, bytes(announcedRecords(announced, network.address)));
  }

  /** Sends messages one after the other, because the outgoing network is a setting of the socket. */
  #send(network: OwnNetwork, bytes: Buffer, to?: Pick<RemoteInfo, 'address' | 'port'>): void {
    const { address, port } = to ?? { address: MDNS_GROUP, port: this.#options.port };
    this.#sending = this.#sending.then(async () => {
      try {
        this.#socket.setMulticastInterface(network.address);
        await new Promise<void>((resolve, reject) =>
          this.#socket.send(bytes, port, address, (error) => (error === null ? resolve() : reject(error))),
        );
      } catch (error) {
        this.#base.tell({ kind: 'trouble', detail: `${network.address}: ${errorMessage(error)}` });
      }
    });
  }
}
