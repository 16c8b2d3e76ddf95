import type { Decision } from '../../../domain/machine/decision.ts';
import type { DeviceInbox, Reply } from '../../../flows/device/device-ports.ts';
import type { Incident, Incidents } from '../../../flows/ports.ts';
import type { AccountRights } from '../connect/accounts.ts';
import type { CommandPublisher } from '../device/command-publisher.ts';
import { forbidden, takeDeviceMessage } from '../device/device-input.ts';
import { REASON, type Reason } from '../mqtt/reason-codes.ts';
import type { Router } from '../readers/router.ts';
import type { TopicTable } from '../topics.ts';

/** A publication of a client other than a machine, on a topic that MQTT allows. */
export interface Publication {
  readonly clientId: string;
  /** Null for a client that did not log in as an account. */
  readonly rights: AccountRights | null;
  /** The client's name in reports. */
  readonly sender: string;
  readonly address: string;
  readonly topic: string;
  /** The payload's bytes, from `rawAt` on. They are only valid during the call. */
  readonly raw: Buffer;
  readonly rawAt: number;
  readonly qos: 0 | 1 | 2;
  readonly packetId: number;
  readonly duplicate: boolean;
  readonly retain: boolean;
  readonly isMqtt5: boolean;
  readonly reply?: Reply | undefined;
}

/** A command that is sent after the publication has gone to its readers. */
interface Answer {
  readonly commandPublisher: CommandPublisher;
  readonly decision: Decision;
  readonly reply: Reply | undefined;
}

/**
 * `refused`: the message goes nowhere (MQTT-13). `taken`: it goes to readers, and is acknowledged when `stored` is
 * resolved; null if nothing is to be stored. `reason` is told to a client of MQTT 5.
 */
export type Verdict =
  | { readonly kind: 'refused'; readonly reason: Reason }
  | {
      readonly kind: 'taken';
      readonly stored: Promise<void> | null;
      readonly answer: Answer | null;
      readonly reason: Reason;
    };

export interface PublicationsOptions {
  readonly inbox: DeviceInbox;
  readonly incidents: Incidents;
  readonly router: Pick<Router, 'isWanted'>;
  readonly topics: () => TopicTable;
  readonly commandPublisher: (machineId: string) => CommandPublisher | undefined;
}

/** The publications that are allowed to clients other than machines, and their meaning for machines. */
export class Publications {
  readonly #options: PublicationsOptions;

  constructor(options: PublicationsOptions) {
    this.#options = options;
  }

  take(publication: Publication): Verdict {
    const { clientId, topic } = publication;
    const match = this.#options.topics().find(topic);
    const ownMachine = this.#options.topics().machine(clientId);
    const isForeign = ownMachine !== undefined && match?.route.machineId !== ownMachine.machineId;
    if (topic.startsWith('$') || match?.meaning.kind === 'command' || isForeign) {
      return this.#refuse(publication, forbidden(topic), !topic.startsWith('$'));
    }
    const fault = publication.rights?.writeFault(topic, match) ?? null;
    if (fault !== null) {
      const refusal = { kind: 'forbiddenPublish', detail: `publishes on ${topic}: ${fault}` } as const;
      return this.#refuse(publication, refusal, match !== null);
    }
    const commandPublisher = match === null ? undefined : this.#options.commandPublisher(match.route.machineId);
    if (match === null || commandPublisher === undefined) return this.#takeUnmatched(publication);
    const outcome = takeDeviceMessage(this.#options.inbox, commandPublisher, {
      ...publication,
      clientId: publication.sender,
      meaning: match.meaning,
      text: textOf(publication),
      transport: 'mqtt',
    });
    const isUnheard = match.meaning.kind === 'other' && !this.#options.router.isWanted(topic);
    return {
      kind: 'taken',
      stored: 'stored' in outcome ? outcome.stored : null,
      answer:
        outcome.kind === 'answer' ? { commandPublisher, decision: outcome.decision, reply: publication.reply } : null,
      reason: isUnheard ? { ...outcome.reason, code: REASON.noMatchingSubscribers } : outcome.reason,
    };
  }

  /**
   * The message is reported: one that no machine has is still routed (D-36), a forbidden one is not (MQTT-13). The
   * machine whose topic it is tells it as well.
   */
  #refuse(publication: Publication, refusal: Omit<Incident, 'subject'>, isShown: boolean): Verdict {
    this.#options.incidents.report({ ...refusal, subject: publication.clientId });
    const report = isShown ? this.#unmatched(publication) : null;
    return { kind: 'refused', reason: { code: REASON.notAuthorized, text: report?.detail ?? refusal.detail } };
  }

  #takeUnmatched(publication: Publication): Verdict {
    const text = this.#unmatched(publication)?.detail ?? '';
    const code = this.#options.router.isWanted(publication.topic) ? REASON.success : REASON.noMatchingSubscribers;
    return { kind: 'taken', stored: null, answer: null, reason: { code, text } };
  }

  #unmatched(publication: Publication) {
    const { sender, topic } = publication;
    return this.#options.inbox.unmatched(sender, topic, textOf(publication), { ...publication, transport: 'mqtt' });
  }
}

function textOf({ raw, rawAt }: Publication): string {
  return raw.toString('utf8', rawAt);
}
