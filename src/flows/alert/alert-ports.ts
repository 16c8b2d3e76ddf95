import type { Alert } from '../../domain/alert/alert.ts';
import type { Channel } from '../../domain/alert/channel.ts';
import type { CompleteMessage } from '../../domain/alert/outgoing-message.ts';

/** The kinds of settings of alerts. `report`: up to when the reports of ended periods were sent. */
export type AlertSettingKind = 'rule' | 'channel' | 'recipient' | 'report';

/** The records of alerts in the store. Those of one `write` are committed together. */
export type AlertRecord =
  | { readonly kind: 'alert'; readonly alert: Alert }
  /** A message on its way; null: it is sent, or given up. */
  | { readonly kind: 'alertMessage'; readonly messageId: string; readonly json: string | null }
  /** Null removes it. */
  | { readonly kind: 'alertSetting'; readonly of: AlertSettingKind; readonly id: string; readonly json: string | null };

/** The stored state of alerts, from which a gateway goes on after a restart. */
export interface AlertMemory {
  readonly settings: readonly { readonly kind: AlertSettingKind; readonly id: string; readonly json: string }[];
  /** Alerts that are open, or of which somebody is still to be told. */
  readonly alerts: readonly { readonly id: string; readonly json: string }[];
  readonly messages: readonly { readonly id: string; readonly json: string }[];
}

/** How many alerts there were about one cause. */
export interface CauseCount extends Pick<Alert, 'ruleId' | 'kind' | 'subject' | 'machineId'> {
  readonly count: number;
}

export interface AlertQueries {
  alertMemory(): Promise<AlertMemory>;
  /** Alerts that ended, as JSON, the newest first: opened since then, and before the time of the one shown last. */
  pastAlerts(
    since: number,
    before: number | null,
    page: { readonly skip: number; readonly take: number },
  ): Promise<readonly string[]>;
  /** How often each rule opened an alert since then. */
  alertCounts(since: number): Promise<readonly { readonly ruleId: string; readonly count: number }[]>;
  /** The same by what the alerts were about. */
  alertCauseCounts(since: number): Promise<readonly CauseCount[]>;
}

/** The outcome of a message. `later`: the channel takes it perhaps later, `afterMs` if it said when. */
export type SendOutcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'later'; readonly detail: string; readonly afterMs: number | null }
  /** This message will never be taken there. */
  | { readonly kind: 'refused'; readonly detail: string };

/** The world behind the channels. It never rejects, and answers within its time-outs. */
export interface AlertTransport {
  send(channel: Channel, message: CompleteMessage): Promise<SendOutcome>;
}
