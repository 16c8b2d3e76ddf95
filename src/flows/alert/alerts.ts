import type { Alert } from '../../domain/alert/alert.ts';
import { type AlertRule, isFleetRule } from '../../domain/alert/alert-rule.ts';
import {
  type AlertEffect,
  evaluate,
  followAlerts,
  NO_ALERTS,
  restoreAlerts,
  take,
} from '../../domain/alert/evaluate.ts';
import { gatewayFindings, unknownRules } from '../../domain/alert/findings.ts';
import { isInSight } from '../../domain/alert/is-in-sight.ts';
import type { OutgoingMessage } from '../../domain/alert/outgoing-message.ts';
import type { Moment } from '../../domain/alert/recipient.ts';
import { CodedError, noSuch } from '../../domain/error.ts';
import { errorMessage } from '../../domain/error-text.ts';
import type { Sight } from '../../domain/plant/sight.ts';
import type { ShiftCalendar } from '../../domain/shift/shift-calendar.ts';
import { WEEKDAYS, type WorkPlan, weekdayOf } from '../../domain/shift/work-plan.ts';
import { DAY_MS } from '../../domain/time.ts';
import { inSlices, Slice } from '../../runtime/slice.ts';
import type { Clock, Incidents, Log, SharedDecisions } from '../ports.ts';
import type { Store } from '../store-ports.ts';
import type { AlertMemory, AlertRecord } from './alert-ports.ts';
import type { AlertSender } from './alert-sender.ts';
import { type AlertSettings, messageRecord } from './alert-settings.ts';
import { type AlertView, alertView, type RuleView, ruleView } from './alert-views.ts';
import type { GatewayFactsFlow } from './gateway-facts.ts';
import type { MachineFactsFlow } from './machine-facts.ts';

/** The pause between two looks at all causes. */
export const LOOK_EVERY_MS = 5_000;
/** The time for which alerts that are over are shown, and rules counted. */
const SHOWN_MS = 7 * DAY_MS;

export interface AlertsOptions {
  readonly store: Pick<Store, 'alertMemory' | 'pastAlerts' | 'alertCounts' | 'alertCauseCounts' | 'record'> & {
    write(records: readonly AlertRecord[]): Promise<void>;
  };
  readonly settings: AlertSettings;
  readonly sender: AlertSender;
  readonly machines: MachineFactsFlow;
  readonly gateway: GatewayFactsFlow;
  readonly calendar: Pick<ShiftCalendar, 'shiftAt' | 'timeText'>;
  readonly plan: WorkPlan;
  readonly newId: () => string;
  readonly clock: Clock;
  readonly incidents: Incidents;
  readonly log: Log;
  /** Left out or null: this gateway alone decides about alerts. */
  readonly nodes?: AlertDuty | null;
}

/** Alerts at several nodes of a central server: one of them has the duty to look and to tell. */
export interface AlertDuty extends Pick<SharedDecisions, 'decide'> {
  readonly duty: { readonly isOurs: boolean; onChange(listener: (isOurs: boolean) => void): void };
}

type Listener = (change: {
  readonly event: 'alert';
  readonly key: string;
  readonly record: object;
  readonly recordFor: (sight: Sight) => object | null;
}) => void;

/** Looks for causes every few seconds, opens and ends alerts, and hands over what somebody has to be told. */
export class Alerts {
  readonly #options: AlertsOptions;
  readonly #listeners: Listener[] = [];
  /** Alerts that are not on disk yet. */
  readonly #unsaved = new Map<string, Alert>();
  #state = NO_ALERTS;
  #timer: NodeJS.Timeout | null = null;
  #isLooking = false;

  constructor(options: AlertsOptions) {
    this.#options = options;
  }

  /** Goes on where the gateway stopped, and looks from then on. */
  async start(): Promise<void> {
    await this.#restore();
    this.#options.nodes?.duty.onChange((isOurs) => void this.#changeDuty(isOurs));
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  /** Takes up what another node of a central server has written. Messages are the affair of the node with the duty. */
  follow(records: readonly AlertRecord[]): void {
    for (const record of records) if (record.kind === 'alertSetting') this.#options.settings.follow(record);
    const alerts = records.flatMap((record) => (record.kind === 'alert' ? [record.alert] : []));
    this.#state = followAlerts(this.#state, alerts, { now: this.#options.clock.now() });
    void this.#announceAll(alerts);
  }

  stop(): void {
    clearInterval(this.#timer ?? undefined);
    this.#options.sender.close();
  }

  onChange(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** Looks at all causes once. A look that is still under way is not repeated. */
  async look(): Promise<void> {
    if (this.#isLooking || !this.#isOnDuty) return;
    this.#isLooking = true;
    try {
      await this.#decideAlone(() => this.#look());
    } catch (error) {
      this.#options.incidents.report({ kind: 'internal', subject: 'alerts', detail: errorMessage(error) });
    } finally {
      this.#isLooking = false;
    }
  }

  get #isOnDuty(): boolean {
    return this.#options.nodes?.duty.isOurs ?? true;
  }

  /** A database that is away is no reason to tell nobody. */
  async #decideAlone(look: () => Promise<void>): Promise<void> {
    const { nodes = null } = this.#options;
    if (nodes === null) return look();
    let isBegun = false;
    try {
      await nodes.decide(() => {
        isBegun = true;
        return look();
      });
    } catch (error) {
      if (isBegun || !(error instanceof CodedError) || error.code !== 'store-unavailable') throw error;
      await look();
    }
  }

  async #restore(): Promise<void> {
    const { store, settings, sender } = this.#options;
    const memory = await store.alertMemory();
    this.#reportDamaged('alert_setting', settings.restore(memory.settings));
    const alerts = this.#read<Alert>('alert', memory.alerts);
    this.#state = restoreAlerts(alerts, { now: this.#options.clock.now() });
    if (this.#isOnDuty) sender.add(this.#read<OutgoingMessage>('alert_message', memory.messages));
  }

  async #changeDuty(isOurs: boolean): Promise<void> {
    this.#options.sender.dropAll();
    if (!isOurs) return;
    try {
      await this.#restore();
    } catch (error) {
      this.#options.incidents.report({ kind: 'internal', subject: 'alerts', detail: errorMessage(error) });
    }
  }

  /** The open alerts of which a caller may know, the worst first. */
  open(sight: Sight): readonly AlertView[] {
    const open = this.#alerts().filter((alert) => alert.endedAt === null && isInSight(alert, sight));
    return open.map((alert) => this.#view(alert)).sort(worstFirst);
  }

  /** Alerts of the last 7 days that are over, the newest first; opened before that time. */
  async past(before: number | null, takeMost: number, sight: Sight): Promise<readonly AlertView[]> {
    const since = this.#options.clock.now().wallMs - SHOWN_MS;
    const seen: Alert[] = [];
    for (let skip = 0, isMore = true; isMore && seen.length < takeMost; skip += takeMost) {
      const texts = await this.#options.store.pastAlerts(since, before, { skip, take: takeMost });
      const alerts = texts.map((json) => parsed<Alert>(json)).filter((alert) => alert !== null);
      seen.push(...alerts.filter((alert) => isInSight(alert, sight)));
      isMore = !sight.isWhole && texts.length === takeMost;
    }
    return seen.slice(0, takeMost).map((alert) => this.#view(alert));
  }

  /** Rules about other gateways are shown where some send. */
  async rules(sight: Sight): Promise<readonly RuleView[]> {
    const raised = await this.#raised(sight);
    const { settings, gateway } = this.#options;
    const rules = settings.rules().filter((rule) => rule.isOn || !isFleetRule(rule) || gateway.hasFleet);
    return rules.map((rule) => ruleView(rule, raised.get(rule.ruleId) ?? 0));
  }

  async ruleView(rule: AlertRule, sight: Sight): Promise<RuleView> {
    return ruleView(rule, (await this.#raised(sight)).get(rule.ruleId) ?? 0);
  }

  /** How often each rule opened an alert of which a caller may know. */
  async #raised(sight: Sight): Promise<ReadonlyMap<string, number>> {
    const since = this.#options.clock.now().wallMs - SHOWN_MS;
    const { store } = this.#options;
    const raised = new Map<string, number>();
    const counts = sight.isWhole
      ? await store.alertCounts(since)
      : (await store.alertCauseCounts(since)).filter((cause) => isInSight(cause, sight));
    for (const { ruleId, count } of counts) raised.set(ruleId, (raised.get(ruleId) ?? 0) + count);
    return raised;
  }

  /** A person takes it. Rejects with `not-found` if it is over, or if the person may not know of it. */
  async take(
    alertId: string,
    by: { readonly name: string; readonly note: string | null },
    sight: Sight,
  ): Promise<AlertView> {
    const known = this.#state.open.get(alertId);
    const isSeen = known !== undefined && isInSight(known.alert, sight);
    const taken = isSeen ? take(this.#state, alertId, by, { now: this.#options.clock.now() }) : null;
    if (taken === null) throw noSuch('open alert', alertId, 'it may be over already');
    this.#state = taken.state;
    this.#announce(taken.alert);
    await this.#save([taken.alert], []);
    return this.#view(taken.alert);
  }

  async #look(): Promise<void> {
    const { settings, machines, gateway, clock, newId } = this.#options;
    const rules = settings.rules().filter(({ isOn }) => isOn);
    const kinds = new Set(rules.map(({ kind }) => kind));
    const found = rules.length === 0 ? [] : await inSlices(machines.findings(rules, clock.now()));
    const facts = gateway.facts(kinds, clock.now());
    const inputs = {
      findings: [...found, ...gatewayFindings(rules, facts)],
      unknown: unknownRules(rules, facts),
      rules,
      recipients: settings.recipients(),
      channels: new Map(settings.channels().map(({ channelId, name }) => [channelId, name])),
    };
    const slice = new Slice();
    for (let isMore = true; isMore; await slice.next()) {
      const evaluation = evaluate(this.#state, inputs, this.#moment(), { newId });
      this.#state = evaluation.state;
      isMore = evaluation.isMore;
      await this.#carryOut(evaluation.effects);
    }
  }

  async #carryOut(effects: readonly AlertEffect[]): Promise<void> {
    const alerts = effects.flatMap((effect) => (effect.type === 'alert' ? [effect.alert] : []));
    const messages = effects.flatMap((effect) => (effect.type === 'message' ? [effect.message] : []));
    for (const effect of effects) if (effect.type === 'full') this.#options.incidents.report(tooMany(effect));
    if (alerts.length + messages.length + this.#unsaved.size > 0) await this.#saveAndSend(alerts, messages);
    await this.#announceAll(alerts);
  }

  /** A full or failing disk is no reason to tell nobody: then a message goes out without a copy on disk. */
  async #saveAndSend(alerts: readonly Alert[], messages: readonly OutgoingMessage[]): Promise<void> {
    try {
      await this.#save(alerts, messages);
    } catch (error) {
      this.#options.log.warn({ error: errorMessage(error) }, 'alerts are not on disk yet');
    }
    this.#options.sender.add(messages);
  }

  /** Alerts and their messages are committed together, so that a restart sends nothing twice and forgets nothing. */
  async #save(alerts: readonly Alert[], messages: readonly OutgoingMessage[]): Promise<void> {
    for (const alert of alerts) this.#unsaved.set(alert.alertId, alert);
    const saved = [...this.#unsaved.values()];
    await this.#options.store.write([
      ...saved.map((alert): AlertRecord => ({ kind: 'alert', alert })),
      ...messages.map(messageRecord),
    ]);
    for (const alert of saved) if (this.#unsaved.get(alert.alertId) === alert) this.#unsaved.delete(alert.alertId);
  }

  #moment(): Moment {
    const { clock, calendar, plan } = this.#options;
    const now = clock.now();
    const { wallMs } = now;
    const [date = '', time = ''] = calendar.timeText(wallMs).split('T');
    const shift = plan(calendar.shiftAt(wallMs));
    const isBreak = shift.breaks.some(({ from, to }) => wallMs >= from && wallMs < to);
    return {
      now,
      minuteOfDay: Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5)),
      weekday: WEEKDAYS.indexOf(weekdayOf(date)) + 1,
      shiftName: shift.shiftName,
      isPlanned: shift.isPlanned && !isBreak,
    };
  }

  #alerts(): readonly Alert[] {
    return [...this.#state.open.values()].map(({ alert }) => alert);
  }

  #view(alert: Alert): AlertView {
    const { settings } = this.#options;
    return alertView(alert, { rules: settings.rules(), recipients: settings.recipients() });
  }

  /** A thousand machines may stop at once. A person may have taken an alert meanwhile. */
  async #announceAll(alerts: readonly Alert[]): Promise<void> {
    const slice = new Slice();
    for (const alert of alerts) {
      this.#announce(this.#state.open.get(alert.alertId)?.alert ?? alert);
      await slice.pause();
    }
  }

  #announce(alert: Alert): void {
    const record = this.#view(alert);
    const recordFor = (sight: Sight) => (isInSight(alert, sight) ? record : null);
    for (const listener of this.#listeners) listener({ event: 'alert', key: alert.alertId, record, recordFor });
  }

  #read<T>(table: string, rows: AlertMemory['alerts']): readonly T[] {
    const damaged: AlertMemory['alerts'][number][] = [];
    const records = rows.flatMap((row) => {
      const record = parsed<T>(row.json);
      if (record === null) damaged.push(row);
      return record === null ? [] : [record];
    });
    this.#reportDamaged(table, damaged);
    return records;
  }

  #reportDamaged(table: string, rows: AlertMemory['alerts']): void {
    this.#options.store.record(
      rows.map(({ id, json }) => ({
        kind: 'damaged',
        record: { table, key: id, content: json, reason: 'no JSON' },
      })),
    );
  }
}

function worstFirst(a: AlertView, b: AlertView): number {
  const rank = ({ severity, takenBy }: AlertView) => (severity === 'red' ? 0 : 2) + (takenBy === null ? 0 : 1);
  return rank(a) - rank(b) || a.beganAt.localeCompare(b.beganAt);
}

function tooMany({ leftOut }: Extract<AlertEffect, { type: 'full' }>) {
  const detail = `${leftOut} more causes hold than alerts may be open at a time`;
  return { kind: 'limitReached', subject: 'alerts', detail } as const;
}

/** Null: it is damaged. What parses was written by this flow. */
function parsed<T>(json: string): T | null {
  try {
    return JSON.parse(json) as T;
  } catch {
    return null;
  }
}
