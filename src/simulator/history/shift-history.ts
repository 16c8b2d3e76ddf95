import type { MachineId } from '../../domain/machine/machine-names.ts';
import type { Activity, Downtime, Span, WorkSession } from '../../domain/machine/records.ts';
import { isBreakdownReason } from '../../domain/production/planned-reasons.ts';
import type { PlannedShift } from '../../domain/shift/work-plan.ts';
import { MINUTE_MS } from '../../domain/time.ts';
import type { SamplePart, SimulatedMachine } from '../machine/machine-design.ts';
import { DOWNTIME_REASONS } from '../plant/sample-reasons.ts';
import { between, oneOf, type Random, type Range } from '../random.ts';

/** The records of a machine's shift. */
export interface ShiftHistory {
  readonly spans: readonly Span[];
  readonly downtimes: readonly Downtime[];
  readonly sessions: readonly WorkSession[];
  /** The pieces made so far, in the order of time. */
  readonly made: readonly { readonly at: number; readonly goodParts: number; readonly badParts: number }[];
}

export interface ShiftSetting {
  readonly machineId: MachineId;
  readonly machine: SimulatedMachine;
  readonly shift: PlannedShift;
  /** The history ends here. */
  readonly untilMs: number;
  /** How much worse than usual the shift goes: 1 is as usual. */
  readonly trouble: number;
  readonly scrapShare: number;
  readonly newId: () => string;
  readonly random: Random;
}

const RUN_MS: Range = [12 * MINUTE_MS, 55 * MINUTE_MS];
const JOB_MS: Range = [110 * MINUTE_MS, 260 * MINUTE_MS];
/** The share of its rated speed that a line reaches. */
const SPEED: Range = [0.78, 0.97];
/** Of so many stops one is too short for a downtime. */
const SHORT_STOP_SHARE = 0.4;
/** The counts while a machine runs are noted so often. */
const NOTED_EVERY_MS = 5 * MINUTE_MS;
const SHORT_STOP_MS: Range = [20_000, 110_000];
/** Stops younger than this may still be without a reason. */
const FRESH_MS = 20 * 60 * MINUTE_MS;
const UNNAMED_SHARE = 0.06;

/** Makes up a shift: stretches of running, and between them stops with their reasons; breaks stand. */
export function shiftHistory(setting: ShiftSetting): ShiftHistory {
  const { shift, untilMs, random } = setting;
  const endMs = Math.min(shift.endMs, untilMs);
  const record = new ShiftRecorder(setting);
  let at = shift.startMs;
  for (const rest of [...shift.breaks, { from: endMs, to: endMs }]) {
    const workEndMs = Math.min(rest.from, endMs);
    while (at < workEndMs) {
      at = record.run(at, Math.min(workEndMs, at + between(RUN_MS, random) / setting.trouble));
      if (at >= workEndMs) break;
      at = record.stop(at, workEndMs);
    }
    if (at < endMs && rest.to > rest.from) at = record.rest(at, Math.min(rest.to, endMs));
  }
  return record.history(endMs);
}

/** Notes the stretches of one shift as they follow each other. */
class ShiftRecorder {
  readonly #setting: ShiftSetting;
  readonly #spans: Span[] = [];
  readonly #downtimes: Downtime[] = [];
  readonly #sessions: WorkSession[] = [];
  readonly #made: { at: number; goodParts: number; badParts: number }[] = [];
  readonly #operator: string;
  #part: SamplePart;
  #jobEndsMs: number;
  #session: WorkSession;
  #goodParts = 0;
  #badParts = 0;

  constructor(setting: ShiftSetting) {
    this.#setting = setting;
    const { machine, shift, random } = setting;
    const [firstOperator = '', ...others] = machine.operators;
    this.#operator = oneOf(firstOperator, others, random);
    this.#part = oneOf(machine.firstPart, machine.otherParts, random);
    this.#jobEndsMs = shift.startMs + between(JOB_MS, random);
    this.#session = this.#newSession(shift.startMs);
  }

  /** Runs up to `endMs`, and gives it. */
  run(fromMs: number, endMs: number): number {
    const { machine, scrapShare, random } = this.#setting;
    const partsPerMs = (machine.ratedSpeedFtPerMinute * between(SPEED, random)) / this.#part.lengthFt / MINUTE_MS;
    const pieces = Math.round((endMs - fromMs) * partsPerMs);
    const bad = Math.round(pieces * scrapShare * between([0.4, 1.6], random));
    this.#span('running', fromMs, endMs);
    this.#noteMade(fromMs, endMs, pieces - bad, bad);
    this.#session = {
      ...this.#session,
      lastActiveAt: Math.round(endMs),
      goodParts: this.#session.goodParts + pieces - bad,
      badParts: this.#session.badParts + bad,
      cycles: this.#session.cycles + pieces,
    };
    return endMs;
  }

  /** Pieces come as even as the machine runs. */
  #noteMade(fromMs: number, endMs: number, good: number, bad: number): void {
    const before = { goodParts: this.#goodParts, badParts: this.#badParts };
    const note = (at: number, share: number) =>
      this.#made.push({
        at: Math.round(at),
        goodParts: before.goodParts + Math.floor(good * share),
        badParts: before.badParts + Math.floor(bad * share),
      });
    for (let at = fromMs + NOTED_EVERY_MS; at < endMs; at += NOTED_EVERY_MS) {
      note(at, (at - fromMs) / (endMs - fromMs));
    }
    note(endMs, 1);
    this.#goodParts += good;
    this.#badParts += bad;
  }

  /** Stands for a while, and gives the end of it. */
  stop(fromMs: number, workEndMs: number): number {
    const { random } = this.#setting;
    if (fromMs >= this.#jobEndsMs) return this.#changeJob(fromMs, workEndMs);
    if (random() < SHORT_STOP_SHARE) {
      const endMs = Math.min(workEndMs, fromMs + between(SHORT_STOP_MS, random));
      this.#span('stopped', fromMs, endMs);
      return endMs;
    }
    return this.#downtime(this.#pattern(), fromMs, workEndMs);
  }

  /** Stands for a break. */
  rest(fromMs: number, endMs: number): number {
    this.#span('stopped', fromMs, endMs);
    return endMs;
  }

  history(endMs: number): ShiftHistory {
    const isOver = endMs >= this.#setting.shift.endMs;
    const last = { ...this.#session, endedAt: isOver ? Math.round(endMs) : null };
    return {
      spans: this.#spans,
      downtimes: this.#downtimes,
      sessions: [...this.#sessions, last],
      made: this.#made,
    };
  }

  #changeJob(fromMs: number, workEndMs: number): number {
    const { machine, random } = this.#setting;
    this.#sessions.push({ ...this.#session, endedAt: Math.round(fromMs) });
    this.#part = oneOf(machine.firstPart, machine.otherParts, random);
    this.#jobEndsMs = fromMs + between(JOB_MS, random);
    this.#session = this.#newSession(fromMs);
    return this.#downtime(REASONS_IN_HISTORY.jobChange, fromMs, workEndMs);
  }

  #pattern(): StopPattern {
    const { machineId, random } = this.#setting;
    const patterns = REASONS_IN_HISTORY.others;
    const weightOf = (pattern: StopPattern) => pattern.weight * (pattern.worseAt.includes(machineId) ? 3 : 1);
    let left = random() * patterns.reduce((sum, pattern) => sum + weightOf(pattern), 0);
    for (const pattern of patterns) {
      left -= weightOf(pattern);
      if (left <= 0) return pattern;
    }
    return REASONS_IN_HISTORY.jobChange;
  }

  #downtime({ reasonId, lengthMs, note }: StopPattern, fromMs: number, workEndMs: number): number {
    const { machineId, trouble, untilMs, newId, random } = this.#setting;
    const endMs = Math.min(workEndMs, fromMs + between(lengthMs, random) * trouble);
    const isUnnamed = untilMs - endMs < FRESH_MS && random() < UNNAMED_SHARE;
    this.#downtimes.push({
      downtimeId: newId(),
      machineId,
      startedAt: Math.round(fromMs),
      endedAt: Math.round(endMs),
      reasonId: isUnnamed ? null : reasonId,
      note: !isUnnamed && random() < 0.2 ? note : null,
      userName: isUnnamed ? null : this.#operator,
    });
    // A controller reports what broke until it is acknowledged; then somebody repairs it.
    const repairedFromMs = BREAKDOWN_IDS.has(reasonId) ? fromMs + (endMs - fromMs) * FAULT_SHARE : fromMs;
    if (repairedFromMs > fromMs) this.#span('fault', fromMs, repairedFromMs);
    this.#span('down', repairedFromMs, endMs);
    return endMs;
  }

  #span(activity: Activity, fromMs: number, endMs: number): void {
    const { machineId, newId } = this.#setting;
    const [startedAt, endedAt] = [Math.round(fromMs), Math.round(endMs)];
    this.#spans.push({ spanId: newId(), machineId, activity, startedAt, endedAt });
  }

  #newSession(fromMs: number): WorkSession {
    const { machineId, newId, random } = this.#setting;
    return {
      sessionId: newId(),
      machineId,
      jobNumber: `SO-${40_500 + Math.floor(random() * 480)}`,
      partId: this.#part.partId,
      userId: this.#operator,
      startedAt: Math.round(fromMs),
      lastActiveAt: Math.round(fromMs),
      endedAt: null,
      goodParts: 0,
      badParts: 0,
      cycles: 0,
    };
  }
}

const BREAKDOWN_IDS: ReadonlySet<string> = new Set(DOWNTIME_REASONS.filter(isBreakdownReason).map(({ id }) => id));
/** The part of a breakdown in which the controller reports a fault. */
const FAULT_SHARE = 0.6;

/** A kind of stop in the history of the sample plant. */
interface StopPattern {
  readonly reasonId: (typeof DOWNTIME_REASONS)[number]['id'];
  readonly weight: number;
  readonly lengthMs: Range;
  readonly note: string | null;
  /** Machines at which it comes three times as often. */
  readonly worseAt: readonly string[];
}

const minutes = (from: number, to: number): Range => [from * MINUTE_MS, to * MINUTE_MS];

/** The stops of the past weeks. One machine has trouble with its hydraulics, another with its drive. */
const REASONS_IN_HISTORY: { readonly jobChange: StopPattern; readonly others: readonly StopPattern[] } = {
  jobChange: { reasonId: 'DT-10', weight: 0, lengthMs: minutes(6, 18), note: null, worseAt: [] },
  others: [
    {
      reasonId: 'DT-01',
      weight: 30,
      lengthMs: minutes(3, 8),
      note: 'C-70006, strap was cut on the wrong side',
      worseAt: [],
    },
    { reasonId: 'DT-31', weight: 9, lengthMs: minutes(4, 25), note: 'Waited for the crane', worseAt: ['RF-02'] },
    { reasonId: 'DT-11', weight: 8, lengthMs: minutes(5, 22), note: null, worseAt: ['RF-05'] },
    {
      reasonId: 'DT-21',
      weight: 4,
      lengthMs: minutes(10, 55),
      note: 'Pressure fell, filter changed',
      worseAt: ['RF-03'],
    },
    { reasonId: 'DT-20', weight: 4, lengthMs: minutes(8, 40), note: 'Encoder cable re-seated', worseAt: ['RF-04'] },
    { reasonId: 'DT-03', weight: 5, lengthMs: minutes(5, 15), note: null, worseAt: [] },
    { reasonId: 'DT-40', weight: 3, lengthMs: minutes(5, 30), note: null, worseAt: [] },
    { reasonId: 'DT-30', weight: 2, lengthMs: minutes(5, 20), note: null, worseAt: ['RF-06'] },
    { reasonId: 'DT-41', weight: 1, lengthMs: minutes(10, 20), note: null, worseAt: [] },
  ],
};
