import { type Alert, severityOf } from '../../domain/alert/alert.ts';
import { type AlertRule, isDefault, UNITS } from '../../domain/alert/alert-rule.ts';
import { type Channel, channelView } from '../../domain/alert/channel.ts';
import { type Recipient, recipientsOf } from '../../domain/alert/recipient.ts';
import { isoTime, isoTimeOrNull } from '../../domain/time.ts';
import type { ChannelState } from './alert-sender.ts';

/** An alert as `/api/local/alerts` shows it (contract.md, `/alerts`). */
export function alertView(
  alert: Alert,
  { rules, recipients }: { readonly rules: readonly AlertRule[]; readonly recipients: readonly Recipient[] },
) {
  const { owed, steps, beganAt, openedAt, endedAt, takenAt, nextStepAt, told, ...rest } = alert;
  const rule = rules.find(({ ruleId }) => ruleId === alert.ruleId);
  const next = nextStepAt === null ? [] : recipientsOf(rule?.steps[steps]?.to ?? [], alert.area, recipients);
  return {
    ...rest,
    severity: severityOf(alert),
    beganAt: isoTime(beganAt),
    openedAt: isoTime(openedAt),
    endedAt: isoTimeOrNull(endedAt),
    takenAt: isoTimeOrNull(takenAt),
    told: told.map(({ name, by, telling, at }) => ({ name, by, telling, at: isoTime(at) })),
    /** The people who hear of it next, if nobody takes it. */
    next:
      next.length === 0 || nextStepAt === null
        ? null
        : { at: isoTime(nextStepAt), names: next.map(({ name }) => name) },
  };
}

export type AlertView = ReturnType<typeof alertView>;

/** A rule with what its limit means, and how often it opened an alert in the last 7 days. */
export function ruleView(rule: AlertRule, raised: number) {
  return { ...rule, ...UNITS[rule.kind], isDefault: isDefault(rule.ruleId), raised };
}

export type RuleView = ReturnType<typeof ruleView>;

/** A channel without its secrets, and whether it works. */
export function channelStateView(channel: Channel, { lastSentAt, failingSince, nextTryAt, ...state }: ChannelState) {
  return {
    ...channelView(channel),
    state: {
      ...state,
      lastSentAt: isoTimeOrNull(lastSentAt),
      failingSince: isoTimeOrNull(failingSince),
      nextTryAt: isoTimeOrNull(nextTryAt),
    },
  };
}

export type ChannelStateView = ReturnType<typeof channelStateView>;
