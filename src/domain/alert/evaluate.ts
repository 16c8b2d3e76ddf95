import { MINUTE_MS } from '../time.ts';
import { type Alert, type AlertCause, alertKey, knowing, type Owed, severityOf, type Telling } from './alert.ts';
import { type AlertRule, openAfterMs } from './alert-rule.ts';
import type { OutgoingMessage } from './outgoing-message.ts';
import { isReachable, type Moment, type Recipient, recipientsOf } from './recipient.ts';
import { dueMessages } from './tell.ts';

/** A cause that holds now, or holds no more and is not clearly over yet. */
export interface Finding extends AlertCause {
  /** How long it has lasted; null if that is not known, as after a restart. */
  readonly forMs: number | null;
  /** Near the limit: it keeps an open alert open, and opens none. */
  readonly isNear: boolean;
}

/** An open alert, with what is measured on the monotonic clock, because wall clocks jump. */
interface OpenAlert {
  readonly alert: Alert;
  readonly openedMs: number;
  /** Since when its cause is gone; null while it lasts. */
  readonly goneMs: number | null;
}

export interface AlertState {
  /** By their ids. One that ended stays until everybody who has to know it was told. */
  readonly open: ReadonlyMap<string, OpenAlert>;
  /** When the causes began that are too young for an alert, on the monotonic clock. */
  readonly pending: ReadonlyMap<string, number>;
  /** When each recipient was told last, on the monotonic clock. */
  readonly lastToldMs: ReadonlyMap<string, number>;
}

/** The input of a look: the causes, and the people who hear of them. */
export interface AlertInputs {
  readonly findings: readonly Finding[];
  /** Rules whose causes could not be looked at: their alerts stay as they are. */
  readonly unknown: ReadonlySet<string>;
  readonly rules: readonly AlertRule[];
  readonly recipients: readonly Recipient[];
  /** The names of the channels by their ids. */
  readonly channels: ReadonlyMap<string, string>;
}

export interface AlertContext {
  readonly newId: () => string;
}

export type AlertEffect =
  | { readonly type: 'alert'; readonly alert: Alert }
  | { readonly type: 'message'; readonly message: OutgoingMessage }
  /** There are so many open alerts that this number could not be opened. */
  | { readonly type: 'full'; readonly leftOut: number };

export interface Evaluation {
  readonly state: AlertState;
  readonly effects: readonly AlertEffect[];
  /** More causes are due: the same inputs have to be looked at once more, after a turn for other work. */
  readonly isMore: boolean;
}

export const NO_ALERTS: AlertState = { open: new Map(), pending: new Map(), lastToldMs: new Map() };

/** A cause has to be gone for so long before its alert ends, so that one that comes and goes is one alert. */
export const END_AFTER_MS = MINUTE_MS;
/** Alerts that are open at a time. Causes beyond it are told as a number. */
export const MAX_OPEN_ALERTS = 2_000;
/** Alerts that one evaluation opens: it runs in one turn. */
export const MAX_OPENED_AT_ONCE = 100;

/** The alerts that were open when the gateway stopped go on. */
export function restoreAlerts(alerts: readonly Alert[], { now }: Pick<Moment, 'now'>): AlertState {
  const open = alerts.map((alert): [string, OpenAlert] => {
    const openedMs = now.monotonicMs - Math.max(0, now.wallMs - alert.openedAt);
    return [alert.alertId, { alert, openedMs, goneMs: null }];
  });
  return { ...NO_ALERTS, open: new Map(open) };
}

/** Alerts as another node of a central server has written them. */
export function followAlerts(state: AlertState, alerts: readonly Alert[], { now }: Pick<Moment, 'now'>): AlertState {
  const open = new Map(state.open);
  for (const alert of alerts) {
    const known = open.get(alert.alertId);
    const openedMs = known?.openedMs ?? now.monotonicMs - Math.max(0, now.wallMs - alert.openedAt);
    if (alert.endedAt !== null && alert.owed.length === 0) open.delete(alert.alertId);
    else open.set(alert.alertId, { alert, openedMs, goneMs: known?.goneMs ?? null });
  }
  return { ...state, open };
}

/** Opens, escalates and ends alerts, and makes the messages that are due. */
export function evaluate(state: AlertState, inputs: AlertInputs, moment: Moment, context: AlertContext): Evaluation {
  const rules = new Map(inputs.rules.filter(({ isOn }) => isOn).map((rule) => [rule.ruleId, rule]));
  const findings = new Map(inputs.findings.map((finding) => [alertKey(finding), finding]));
  const followed = [...state.open.values()].map((one) =>
    follow(one, findings.get(alertKey(one.alert)), rules.get(one.alert.ruleId), inputs, moment),
  );
  const opening = openings(state, inputs, rules, moment, context);
  const all = [...followed, ...opening.opened];
  const alerts = all.map(({ alert }) => alert);
  const told = dueMessages(alerts, state.lastToldMs, inputs, moment, context);
  const open = new Map<string, OpenAlert>();
  const effects: AlertEffect[] = [];
  for (const one of all) {
    const { alertId } = one.alert;
    const alert = told.alerts.get(alertId) ?? one.alert;
    if (alert !== state.open.get(alertId)?.alert) effects.push({ type: 'alert', alert });
    if (alert.endedAt === null || alert.owed.length > 0) open.set(alertId, { ...one, alert });
  }
  effects.push(...told.messages.map((message): AlertEffect => ({ type: 'message', message })));
  if (opening.leftOut > 0 && !opening.isMore) effects.push({ type: 'full', leftOut: opening.leftOut });
  const { pending, isMore } = opening;
  return { state: { open, pending, lastToldMs: told.lastToldMs }, effects, isMore };
}

/** A person takes an open alert: nobody further is told, and those who know of it are. Null if it is not open. */
export function take(
  state: AlertState,
  alertId: string,
  by: { readonly name: string; readonly note: string | null },
  { now }: Pick<Moment, 'now'>,
): { readonly state: AlertState; readonly alert: Alert } | null {
  const one = state.open.get(alertId);
  if (one === undefined || one.alert.endedAt !== null) return null;
  const owed = [...knowing(one.alert)].map((id): Owed => owedNow(id, 'taken', now.wallMs));
  const kept = one.alert.owed.filter(({ telling }) => telling === 'opened' || telling === 'escalated');
  const taken = { takenBy: by.name, takenAt: now.wallMs, note: by.note, nextStepAt: null };
  const alert: Alert = { ...one.alert, ...taken, owed: [...kept, ...owed] };
  return { state: { ...state, open: new Map(state.open).set(alertId, { ...one, alert }) }, alert };
}

function owedNow(recipientId: string, telling: Telling, at: number): Owed {
  return { recipientId, telling, at };
}

/** An open alert after this look: it goes on, takes its next step, or ends. */
function follow(
  one: OpenAlert,
  finding: Finding | undefined,
  rule: AlertRule | undefined,
  inputs: AlertInputs,
  moment: Moment,
): OpenAlert {
  const { alert } = one;
  if (alert.endedAt !== null) return one;
  const { monotonicMs } = moment.now;
  if (rule === undefined) return { ...one, alert: ended(alert, inputs.recipients, moment) };
  if (finding === undefined && !inputs.unknown.has(rule.ruleId)) {
    const goneMs = one.goneMs ?? monotonicMs;
    if (monotonicMs - goneMs < END_AFTER_MS) return { ...one, goneMs };
    return { ...one, goneMs, alert: ended(alert, inputs.recipients, moment) };
  }
  const seen = finding === undefined ? alert : withValue(alert, finding);
  return { ...one, goneMs: null, alert: escalated(seen, rule, monotonicMs - one.openedMs, inputs.recipients, moment) };
}

/**
 * The alert with the present value, if people would see a difference. A process variable keeps the value that broke its
 * limit: it changes all the time.
 */
function withValue(alert: Alert, { value, name }: Finding): Alert {
  const isSame = alert.kind === 'variable' || Math.trunc(value ?? 0) === Math.trunc(alert.value ?? 0);
  return isSame && name === alert.name ? alert : { ...alert, value: isSame ? alert.value : value, name };
}

/** Takes every step that is due. Who knows already is not told again. */
function escalated(
  alert: Alert,
  rule: AlertRule,
  openForMs: number,
  recipients: readonly Recipient[],
  { now }: Moment,
): Alert {
  if (alert.takenBy !== null) return alert;
  let { steps } = alert;
  const owed = [...alert.owed];
  const reached = new Set([...knowing(alert), ...owed.map(({ recipientId }) => recipientId)]);
  for (let step = rule.steps[steps]; step !== undefined; step = rule.steps[steps]) {
    if (openForMs < step.afterMinutes * MINUTE_MS) break;
    const telling = steps === 0 ? 'opened' : 'escalated';
    for (const { recipientId } of recipientsOf(step.to, alert.area, recipients)) {
      if (reached.has(recipientId)) continue;
      reached.add(recipientId);
      owed.push(owedNow(recipientId, telling, now.wallMs));
    }
    steps += 1;
  }
  const next = rule.steps[steps];
  const nextStepAt = next === undefined ? null : alert.openedAt + next.afterMinutes * MINUTE_MS;
  if (steps === alert.steps && nextStepAt === alert.nextStepAt) return alert;
  return { ...alert, steps, owed, nextStepAt };
}

/**
 * Everybody who knows of it is told that it is over. Who was not told because of quiet hours hears of it afterwards; an
 * alert that ended before its first message went out is not told at all.
 */
function ended(alert: Alert, recipients: readonly Recipient[], moment: Moment): Alert {
  const { wallMs } = moment.now;
  const known = new Map(recipients.map((recipient) => [recipient.recipientId, recipient]));
  const missed = alert.owed.flatMap(({ recipientId, telling }) => {
    const recipient = known.get(recipientId);
    const isOpening = telling === 'opened' || telling === 'escalated';
    const isHeldBack = recipient !== undefined && !isReachable(recipient, severityOf(alert), moment);
    return isOpening && isHeldBack ? [recipientId] : [];
  });
  const owed = [...new Set([...knowing(alert), ...missed])].map((id) => owedNow(id, 'over', wallMs));
  return { ...alert, endedAt: wallMs, nextStepAt: null, owed };
}

interface Openings {
  readonly opened: readonly OpenAlert[];
  readonly pending: ReadonlyMap<string, number>;
  readonly leftOut: number;
  readonly isMore: boolean;
}

function openings(
  state: AlertState,
  inputs: AlertInputs,
  rules: ReadonlyMap<string, AlertRule>,
  moment: Moment,
  { newId }: AlertContext,
): Openings {
  const { monotonicMs } = moment.now;
  const lasting = [...state.open.values()].filter(({ alert }) => alert.endedAt === null);
  const open = new Set(lasting.map(({ alert }) => alertKey(alert)));
  const pending = new Map<string, number>();
  const opened: OpenAlert[] = [];
  const room = MAX_OPEN_ALERTS - state.open.size;
  const most = Math.min(MAX_OPENED_AT_ONCE, room);
  let due = 0;
  for (const finding of inputs.findings) {
    const key = alertKey(finding);
    const rule = rules.get(finding.ruleId);
    if (rule === undefined || finding.isNear || open.has(key)) continue;
    const isCounted = counts(rule, moment);
    const knownMs = state.pending.get(key) ?? monotonicMs - Math.max(0, finding.forMs ?? 0);
    const sinceMs = isCounted ? knownMs : monotonicMs;
    pending.set(key, sinceMs);
    if (!isCounted || monotonicMs - sinceMs < openAfterMs(rule)) continue;
    due += 1;
    if (opened.length < most) opened.push(openAlert(finding, rule, sinceMs, inputs.recipients, moment, newId()));
  }
  const leftOut = Math.max(0, due - Math.max(0, room));
  return { opened, pending, leftOut, isMore: opened.length < due - leftOut };
}

/** Whether the present time counts for a rule. */
function counts({ shifts, isPlanOnly }: AlertRule, { shiftName, isPlanned }: Moment): boolean {
  return (shifts.length === 0 || shifts.includes(shiftName)) && (isPlanned || !isPlanOnly);
}

function openAlert(
  finding: Finding,
  rule: AlertRule,
  sinceMs: number,
  recipients: readonly Recipient[],
  moment: Moment,
  alertId: string,
): OpenAlert {
  const { wallMs, monotonicMs } = moment.now;
  const { forMs: _, isNear: __, ...cause } = finding;
  const alert: Alert = {
    ...cause,
    alertId,
    beganAt: Math.round(wallMs - (monotonicMs - sinceMs)),
    openedAt: wallMs,
    endedAt: null,
    takenBy: null,
    takenAt: null,
    note: null,
    steps: 0,
    nextStepAt: null,
    owed: [],
    told: [],
  };
  return { alert: escalated(alert, rule, 0, recipients, moment), openedMs: monotonicMs, goneMs: null };
}
