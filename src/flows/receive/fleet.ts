import { alertSentence } from '../../domain/alert/alert-words.ts';
import { troubleCause } from '../../domain/alert/trouble-cause.ts';
import { errorMessage } from '../../domain/error-text.ts';
import { type Contact, contactOf } from '../../domain/fleet/contact.ts';
import type { GatewayHealth, GatewayReport } from '../../domain/fleet/gateway-health.ts';
import type { ToldPlant } from '../../domain/fleet/told-plant.ts';
import { TROUBLE_LIMITS, type Trouble, type TroubleTerms, troublesOf } from '../../domain/fleet/trouble.ts';
import { jsonOrNull } from '../../domain/json/json.ts';
import type { Claimer, Sender } from '../../domain/sync/name-claim.ts';
import type { Now } from '../../domain/time.ts';
import { Slice } from '../../runtime/slice.ts';
import type { ToldPlants } from '../fleet-production/told-plants.ts';
import type { Clock, Incidents } from '../ports.ts';
import type { BatchReceiver } from './batch-receiver.ts';
import type { FleetRecord, GatewayContact, ReceivedGateway, ReceiveQueries } from './receive-ports.ts';

export interface FleetOptions {
  readonly store: Pick<ReceiveQueries, 'receivedGateways'> & {
    write(records: readonly FleetRecord[]): Promise<void>;
  };
  readonly receiver: Pick<BatchReceiver, 'heard' | 'heardLast'>;
  readonly incidents: Incidents;
  /** Gets each report that is kept, with the one before it. */
  readonly onReport: (from: Sender, before: GatewayHealth | null, health: GatewayHealth) => void;
  /** A gateway has come with a key of another plant than before. Each node of a central server hears of it. */
  readonly onMoved: (before: ReceivedGateway, now: ReceivedGateway) => void;
  readonly clock: Clock;
  readonly plants: Pick<ToldPlants, 'isWanted' | 'take' | 'look'>;
  /** Of this central server. */
  readonly version: string;
}

/** A gateway that sends here, and what is wrong with it. */
export interface FleetGateway extends ReceivedGateway {
  readonly contact: Contact;
  /** The newest contact on disk. */
  readonly storedAt: number;
  /** Its newest report, which is read once. */
  readonly told: GatewayReport | null;
  readonly health: GatewayHealth | null;
  readonly troubles: readonly Trouble[];
}

/** The answer to a report. */
export interface Taken {
  readonly receivedAt: number;
  readonly isKept: boolean;
  /** It has something else to tell of its plant than it told last. */
  readonly wantsPlant: boolean;
}

/** The pause between two looks at all gateways. */
export const FLEET_LOOK_MS = 5_000;
/** A contact is written if the one on disk is older than this. */
const CONTACT_IS_OLD_MS = 10_000;
/** A contact on disk that is later than our own by more than this is not ours. */
const CONTACT_IS_LATER_MS = 1_000;
/** Contacts in one write, so that each commit stays short: a report may have 60 kB. */
const CONTACTS_AT_ONCE = 25;
/** A gateway that is not known yet is looked for at most this often. */
const LOOK_AGAIN_MS = 1_000;

/** Judges the gateways that send here every few seconds: contact and condition of each, and what is wrong (D-97). */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #terms: TroubleTerms;
  readonly #startedMs: number;
  readonly #reports = new Map<string, GatewayContact>();
  #gateways: ReadonlyMap<string, FleetGateway> = new Map();
  #looking: Promise<void> | null = null;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#terms = { limits: TROUBLE_LIMITS, version: options.version };
    this.#startedMs = options.clock.now().monotonicMs;
  }

  /** Looks from now on, until the function that it gives is called. */
  start(): () => void {
    const timer = setInterval(() => void this.look(), FLEET_LOOK_MS).unref();
    return () => clearInterval(timer);
  }

  /** As of the newest look. */
  gateways(): readonly FleetGateway[] {
    return [...this.#gateways.values()];
  }

  /** The gateway as it is judged; null for one that came after the newest look. */
  gateway(gatewayId: string): FleetGateway | null {
    return this.#gateways.get(gatewayId) ?? null;
  }

  /** Takes a gateway's report of its condition. `isKept` false: it has sent no batch yet, or another one has its name. */
  async report(claimer: Sender, health: GatewayHealth, plantDigest: string | null): Promise<Taken> {
    const { clock, receiver, plants } = this.#options;
    const now = clock.now();
    receiver.heard(claimer);
    if (!this.#isHolder(claimer) && now.monotonicMs - this.#lookedMs >= LOOK_AGAIN_MS) await this.look();
    const receivedAt = Math.round(now.wallMs);
    const isKept = this.#isHolder(claimer);
    if (isKept) {
      const { gatewayId } = claimer;
      const before = this.#reports.get(gatewayId)?.report?.health ?? this.#gateways.get(gatewayId)?.health;
      this.#options.onReport(claimer, before ?? null, health);
      this.#reports.set(gatewayId, { ...claimer, heardAt: receivedAt, report: { receivedAt, health } });
    }
    if (isKept && plantDigest !== null) await plants.look();
    const wantsPlant = isKept && plantDigest !== null && plants.isWanted(claimer.gatewayId, plantDigest);
    return { receivedAt, isKept, wantsPlant };
  }

  /** Takes what a gateway tells of its plant. `isKept` false: another one has its name. Rejects with `invalid-input`. */
  async takePlant(claimer: Claimer, digest: string, told: ToldPlant): Promise<{ readonly isKept: boolean }> {
    this.#options.receiver.heard(claimer);
    const isKept = this.#isHolder(claimer);
    if (isKept) await this.#options.plants.take(claimer.gatewayId, digest, told);
    return { isKept };
  }

  /** Writes what came since the last look, and judges all gateways. A look that is under way is shared. Never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch((error: unknown) =>
        this.#options.incidents.report({ kind: 'internal', subject: 'gateways', detail: errorMessage(error) }),
      )
      .finally(() => {
        this.#looking = null;
      });
    return this.#looking;
  }

  #isHolder({ gatewayId, stream, principal }: Claimer): boolean {
    const known = this.#gateways.get(gatewayId);
    return known !== undefined && known.stream === stream && known.principal === principal;
  }

  async #look(): Promise<void> {
    const { store, clock } = this.#options;
    this.#lookedMs = clock.now().monotonicMs;
    await this.#writeContacts();
    const rows = await store.receivedGateways();
    const now = clock.now();
    const slice = new Slice();
    const judged: FleetGateway[] = [];
    for (const row of rows) {
      await slice.pause();
      judged.push(this.judge(row, now));
    }
    for (const gateway of judged) {
      const before = this.#gateways.get(gateway.gatewayId) ?? null;
      this.#tell(gateway, before);
      if (before !== null && before.plantId !== gateway.plantId) this.#options.onMoved(before, gateway);
    }
    this.#gateways = new Map(judged.map((gateway) => [gateway.gatewayId, gateway]));
  }

  /** A gateway as it stands now. */
  judge(row: ReceivedGateway, { monotonicMs, wallMs }: Now): FleetGateway {
    const heard = this.#heardLast(row);
    const isLater = heard === null || row.lastContactAt - heard.heardAt > CONTACT_IS_LATER_MS;
    const ages = {
      agoMs: heard === null ? null : monotonicMs - heard.heardMs,
      storedAgoMs: isLater ? wallMs - row.lastContactAt : null,
      upMs: monotonicMs - this.#startedMs,
    };
    const contact = contactOf(ages, this.#terms.limits.silent);
    const known = this.#gateways.get(row.gatewayId);
    const told = known?.report === row.report ? known.told : reportIn(row.report);
    const health = told?.health ?? null;
    const before = new Set(known?.troubles.map(({ kind }) => kind));
    const troubles = troublesOf({ contact, health }, before, this.#terms);
    const { lastContactAt: storedAt } = row;
    return {
      ...row,
      lastContactAt: Math.max(storedAt, heard?.heardAt ?? 0),
      storedAt,
      contact,
      told,
      health,
      troubles,
    };
  }

  #heardLast({ gatewayId, stream, principal }: ReceivedGateway) {
    return stream === null ? null : this.#options.receiver.heardLast({ gatewayId, stream, principal });
  }

  async #writeContacts(): Promise<void> {
    const contacts = new Map(this.#staleContacts().map((contact) => [contact.gatewayId, contact]));
    for (const [gatewayId, contact] of this.#reports) contacts.set(gatewayId, contact);
    this.#reports.clear();
    const all = [...contacts.values()];
    for (let from = 0; from < all.length; from += CONTACTS_AT_ONCE) {
      const some = all.slice(from, from + CONTACTS_AT_ONCE);
      await this.#options.store.write([{ kind: 'gatewayContacts', contacts: some }]);
    }
  }

  #staleContacts(): readonly GatewayContact[] {
    return this.gateways().flatMap((gateway) => {
      const { gatewayId, stream, principal, storedAt } = gateway;
      const heard = this.#heardLast(gateway);
      if (stream === null || heard === null) return [];
      if (Math.abs(heard.heardAt - storedAt) < CONTACT_IS_OLD_MS) return [];
      return [{ gatewayId, stream, principal, heardAt: Math.round(heard.heardAt), report: null, plantId: null }];
    });
  }

  /** The beginning and the end of each trouble is an incident. */
  #tell(gateway: FleetGateway, before: FleetGateway | null): void {
    const { gatewayId: subject } = gateway;
    const tell = (of: FleetGateway, trouble: Trouble, lead: string) => {
      const { lastedMs, ...cause } = troubleCause(of, trouble);
      const detail = `${lead}${alertSentence(cause, lastedMs, 'en')}`;
      this.#options.incidents.report({ kind: 'sendingGateway', subject, gatewayId: subject, detail });
    };
    for (const trouble of gateway.troubles) if (!hasKind(before, trouble)) tell(gateway, trouble, '');
    if (before === null) return;
    for (const trouble of before.troubles) if (!hasKind(gateway, trouble)) tell(before, trouble, 'Over: ');
  }
}

/** It was checked before it was kept. */
export function reportIn(json: string | null): GatewayReport | null {
  return json === null ? null : (jsonOrNull(json) as GatewayReport | null);
}

function hasKind(gateway: FleetGateway | null, { kind }: Trouble): boolean {
  return gateway?.troubles.some((one) => one.kind === kind) === true;
}
