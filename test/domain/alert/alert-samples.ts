import type { AlertRule } from '../../../src/domain/alert/alert-rule.ts';
import type { AlertEffect, AlertInputs, AlertState, Finding } from '../../../src/domain/alert/evaluate.ts';
import { evaluate, NO_ALERTS } from '../../../src/domain/alert/evaluate.ts';
import type { Moment, Recipient } from '../../../src/domain/alert/recipient.ts';

export const MINUTE = 60_000;
/** Tuesday, 24 November 2026, 12:00 UTC. */
export const NOON = Date.UTC(2026, 10, 24, 12);

export const HELD_RULE: AlertRule = {
  ruleId: 'held',
  kind: 'held',
  isOn: true,
  limit: 10,
  machineIds: [],
  areas: [],
  shifts: [],
  isPlanOnly: true,
  variable: null,
  steps: [
    { afterMinutes: 0, to: ['dana'] },
    { afterMinutes: 10, to: ['role:supervisor'] },
    { afterMinutes: 20, to: ['boss'] },
  ],
};

export function recipient(recipientId: string, more: Partial<Recipient> = {}): Recipient {
  const nothing = { role: null, areas: [], shifts: [], quiet: null, language: 'en' } as const;
  const ways = [{ channelId: 'mail', address: `${recipientId}@plant.example` }];
  return { recipientId, name: recipientId, ...nothing, ways, ...more };
}

export const DANA = recipient('dana');
export const LEAD = recipient('lead', { role: 'supervisor' });
export const BOSS = recipient('boss');

export function held(subject: string, more: Partial<Finding> = {}): Finding {
  const nothing = { area: null, detail: null, value: null, side: null, forMs: null, isNear: false } as const;
  return {
    ruleId: 'held',
    kind: 'held',
    subject,
    name: `Line ${subject}`,
    machineId: subject,
    limit: 10,
    ...nothing,
    ...more,
  };
}

/** The moment so many milliseconds after noon, on a computer that started then. */
export function at(ms: number, shiftName = 'Early', isPlanned = true): Moment {
  const date = new Date(NOON + ms);
  const minuteOfDay = date.getUTCHours() * 60 + date.getUTCMinutes();
  return {
    now: { monotonicMs: ms, wallMs: NOON + ms },
    minuteOfDay,
    weekday: date.getUTCDay() || 7,
    shiftName,
    isPlanned,
  };
}

export const INPUTS: AlertInputs = {
  findings: [],
  unknown: new Set(),
  rules: [HELD_RULE],
  recipients: [DANA, LEAD, BOSS],
  channels: new Map([['mail', 'Mail']]),
};

/** Looks every five seconds, and keeps everything that happened. */
export class Watch {
  state: AlertState = NO_ALERTS;
  readonly effects: (AlertEffect & { readonly atMs: number })[] = [];
  nowMs = 0;
  #ids = 0;

  run(untilMs: number, inputs: Partial<AlertInputs>, shiftName?: string, isPlanned?: boolean): this {
    for (; this.nowMs < untilMs; this.nowMs += 5_000) {
      const { state, effects } = evaluate(this.state, { ...INPUTS, ...inputs }, at(this.nowMs, shiftName, isPlanned), {
        newId: () => `id-${++this.#ids}`,
      });
      this.state = state;
      this.effects.push(...effects.map((effect) => ({ ...effect, atMs: this.nowMs })));
    }
    return this;
  }

  /** `RECIPIENT@MINUTE: title`, the lines behind it. */
  get messages(): readonly string[] {
    return this.effects.flatMap((effect) => {
      if (effect.type !== 'message') return [];
      const { recipientId, title, text } = effect.message;
      return [[`${recipientId}@${Math.floor(effect.atMs / MINUTE)}: ${title}`, ...text].join(' | ')];
    });
  }

  get alerts() {
    const newest = this.effects.flatMap((effect) => (effect.type === 'alert' ? [effect.alert] : []));
    return [...new Map(newest.map((alert) => [alert.alertId, alert])).values()];
  }
}
