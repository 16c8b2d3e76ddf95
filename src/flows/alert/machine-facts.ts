import type { AlertRule } from '../../domain/alert/alert-rule.ts';
import type { Finding } from '../../domain/alert/evaluate.ts';
import { type Lasting, type MachineFacts, machineFindings, needOf } from '../../domain/alert/findings.ts';
import { beginHour, notePieces, type ScrapHour, scrapPercent } from '../../domain/alert/scrap-hour.ts';
import { causeOf } from '../../domain/machine/decision-cause.ts';
import { type SlicedWork, visit } from '../../domain/sliced-work.ts';
import { MINUTE_MS, type Now } from '../../domain/time.ts';
import type { LiveMachine } from '../device/live-machine.ts';
import type { MachineRegistry } from '../device/machine-registry.ts';

/** Pieces are noted this often for the scrap of the last hour. */
const NOTE_PIECES_MS = MINUTE_MS;

/** The findings of the rules at the machines, from their state in memory. */
export class MachineFactsFlow {
  readonly #registry: Pick<MachineRegistry, 'all'>;
  readonly #hours = new Map<string, ScrapHour>();
  #notedMs = Number.NEGATIVE_INFINITY;

  constructor(registry: Pick<MachineRegistry, 'all'>) {
    this.#registry = registry;
  }

  /** To be done in slices, because there may be thousands of machines. */
  *findings(rules: readonly AlertRule[], now: Now): SlicedWork<readonly Finding[]> {
    const isScrapWanted = rules.some(({ kind }) => kind === 'scrap');
    const notes = isScrapWanted && now.monotonicMs - this.#notedMs >= NOTE_PIECES_MS;
    if (notes) this.#notedMs = now.monotonicMs;
    if (!isScrapWanted) this.#hours.clear();
    const found: Finding[] = [];
    yield* visit(this.#registry.all(), (live) => {
      if (notes) this.#notePieces(live, now);
      found.push(...machineFindings(rules, this.#factsOf(live, now)));
    });
    return found;
  }

  #factsOf(live: LiveMachine, { wallMs }: Now): MachineFacts {
    const { machineId, name, area = null } = live.machine;
    const hour = this.#hours.get(machineId);
    return {
      machineId,
      name,
      area,
      ...needsOf(live, wallMs),
      scrapPercent: hour === undefined ? null : scrapPercent(hour),
    };
  }

  #notePieces({ machine: { machineId }, state: { shift } }: LiveMachine, { monotonicMs }: Now): void {
    const { shiftDate, shiftName } = shift.period;
    const { goodParts: good, badParts: bad } = shift.totals;
    const name = `${shiftDate} ${shiftName}`;
    const hour = this.#hours.get(machineId);
    const next =
      hour === undefined
        ? beginHour(name, { good, bad }, monotonicMs)
        : notePieces(hour, name, { good, bad }, monotonicMs);
    this.#hours.set(machineId, next);
  }
}

/** The conditions in which a machine needs a person. */
export function needsOf(
  { state, since, refused }: Pick<LiveMachine, 'state' | 'since' | 'refused'>,
  wallMs: number,
): Pick<MachineFacts, 'held' | 'silent' | 'fault'> {
  const cause = causeOf(state, refused, since.decision);
  // With an override it runs, and somebody is there.
  const need = state.known.override === true ? null : needOf(cause);
  return {
    held: need === 'held' ? lasting(cause?.since ?? null, wallMs) : null,
    silent: need === 'silent' ? lasting(cause?.since ?? null, wallMs) : null,
    fault: state.known.fault === true ? lasting(since.fault, wallMs) : null,
  };
}

function lasting(since: number | null, wallMs: number): Lasting {
  return { forMs: since === null ? null : wallMs - since };
}
